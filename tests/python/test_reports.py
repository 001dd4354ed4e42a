"""What a loaded model says about its file, seen from Python."""

import flexor
import pytest

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


BODY = """<worldbody><site name="anchor"/><body name="arm"><joint name="elbow"/>
<geom name="ball" type="sphere" size=".1" contype="0" conaffinity="0"/><site name="tip"/></body></worldbody>
<tendon><spatial name="cord"><site site="anchor"/><site site="tip"/></spatial></tendon>"""


@pytest.mark.parametrize(
    "section, wrong, kind, near",
    [
        ('<actuator><motor tendon="cor"/></actuator>', "cor", "tendon", "cord"),
        ('<actuator><motor joint="elbwo"/></actuator>', "elbwo", "joint", "elbow"),
        ('<actuator><muscle cranksite="tip" slidersite="tipp"/></actuator>', "tipp", "site", "tip"),
        ('<sensor><jointpos joint="nope"/></sensor>', "nope", "joint", ""),
        ('<sensor><framepos objtype="xbody" objname="arn"/></sensor>', "arn", "body", "arm"),
        ('<sensor><framepos objtype="body" objname="arm" reftype="site" refname="x"/></sensor>',
         "x", "site", ""),
        ('<sensor><actuatorfrc actuator="motor"/></sensor>', "motor", "actuator", ""),
        ('<equality><joint joint1="jX"/></equality>', "jX", "joint", ""),
        ('<equality><weld body1="arm" body2="wrld" active="false"/></equality>',
         "wrld", "body", "world"),
    ],
)  # fmt: skip
def test_names_in_idle_elements_must_exist(section, wrong, kind, near):
    """unknown-name with its place, though the element would not act."""
    with pytest.raises(flexor.ModelError) as caught:
        flexor.load_model(f"<mujoco>{BODY}\n{section}</mujoco>", strict=False)
    (problem,) = caught.value.problems
    assert problem["code"] == "unknown-name" and problem["text"] == f"no {kind} named '{wrong}'"
    assert problem["line"] == 4 and problem["column"] == 1 + section.index(f'="{wrong}"') - len(
        problem["attribute"]
    )
    assert (near in problem["hint"]) if near else problem["hint"] == ""


def test_names_in_idle_elements_that_exist_pass():
    sections = """<actuator><motor name="m" tendon="cord"/><position joint="elbow"/></actuator>
    <sensor><jointpos joint="elbow"/><tendonpos tendon="cord"/><actuatorpos actuator="m"/>
    <framepos objtype="geom" objname="ball" reftype="xbody" refname="arm"/></sensor>
    <equality><weld body1="arm" body2="world"/></equality>"""
    assert len(flexor.load_model(f"<mujoco>{BODY}{sections}</mujoco>").inert) == 7
    replicated = BODY.replace("<body ", '<replicate count="2" offset="1 0 0"><body ').replace(
        "</body>", "</body></replicate>"
    )
    names = (
        '<actuator><motor joint="elbow"/><motor tendon="cord"/><motor joint="elbow1"/></actuator>'
    )
    flexor.load_model(f"<mujoco>{replicated}{names}</mujoco>")


def test_every_item_has_a_code():
    text = """<mujoco><option integrator="RK4" iterations="3"/><size nkey="2"/>
    <visual><headlight active="1"/></visual><worldbody><body><joint margin="1"/>
    <geom type="sphere" size=".1" rgba="1 0 0 1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    items = flexor.load_model(text).report["items"]
    assert all(item["code"] for item in items)
    assert {"integrator", "ignored-visual", "ignored-solver", "ignored-inactive"} <= {
        item["code"] for item in items
    }


@pytest.mark.parametrize("name", flexor.models.names())
def test_models_of_the_package_have_no_warnings(name):
    items = flexor.models.load(name).report["items"]
    assert [item for item in items if item["severity"] == "warning"] == []


def test_computed_numbers_have_six_digits():
    b = flexor.ModelBuilder()
    b.add_body("rod", mass=1, inertia=(1, 1, 1))
    b.add_joint("rod", axis=(0, 1, 0))
    path = [
        flexor.via(pos=(-1, 0, 0.4)),
        flexor.sphere(pos=(0, 0, 0), radius=1 / 3),
        flexor.via(body="rod", pos=(1, 0, 0.5)),
    ]
    b.add_spatial_tendon("cord", path)
    (item,) = b.finalize().report["items"]
    assert item["code"] == "guide-clear" and " 0.116105 m beside" in item["text"]


def test_body_without_mass_has_no_pivot_to_tell():
    b = flexor.ModelBuilder()
    b.add_body("rod")
    b.add_joint("rod", axis=(0, 1, 0))
    with pytest.raises(flexor.ModelError, match="at the reference pose; legal: mass"):
        b.finalize()


def test_long_lines_are_cut_around_the_place():
    sites = ["".join(f'<site name="{letter}{i}"/>' for i in range(2000)) for letter in "äβ"]
    text = f'<mujoco><worldbody>{sites[0]}<site nmae="x"/>{sites[1]}</worldbody></mujoco>'
    with pytest.raises(flexor.ModelError) as caught:
        flexor.load_model(text)
    for line in str(caught.value).splitlines():
        assert len(line) < 400
    shown, caret = str(caught.value).splitlines()[1:3]
    assert shown.index("nmae") == caret.index("^")
