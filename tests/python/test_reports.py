"""What a loaded model says about its file, seen from Python."""

import flexor

SOFT_GEOMS = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body>
      <joint type="slide"/>
      <geom type="sphere" size=".1" solref=".01 1"/>
      <geom type="sphere" size=".1" pos="0 0 1" solimp=".9 .95 .001" solref=".01 1"/>
    </body>
  </worldbody>
</mujoco>
"""


def test_softness_of_contacts_is_said_once_a_file():
    """[MF-17]: not mapped; one entry that counts its three places."""
    items = flexor.load_model(SOFT_GEOMS).report["items"]
    found = [item for item in items if item["code"] == "contact-softness"]
    assert len(found) == 1
    assert found[0]["count"] == 3 and len(found[0]["places"]) == 3
    assert found[0]["bin"] == "approximated"
