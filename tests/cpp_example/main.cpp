// A load on a springy tendon, in eight worlds of different stiffness: the C++ surface on one page.

#include <cstdio>
#include <vector>

#include "flexor/flexor.hpp"

int main() {
  const flexor::Model model = flexor::load_model(R"(
    <mujoco model="load">
      <option timestep="0.002"/>
      <worldbody>
        <site name="hook" pos="0 0 2"/>
        <body name="load" pos="0 0 1">
          <joint name="lift" type="slide" axis="0 0 1"/>
          <inertial pos="0 0 0" mass="1" diaginertia="0.001 0.001 0.001"/>
          <site name="ring"/>
        </body>
      </worldbody>
      <tendon>
        <spatial name="rope" stiffness="500" damping="20" springlength="0 1">
          <site site="hook"/>
          <site site="ring"/>
        </spatial>
      </tendon>
    </mujoco>)");

  flexor::SimulationOptions options;
  options.num_worlds = 8;
  options.precision = flexor::Precision::kFloat64;
  flexor::Simulation sim(model, options);

  // Stiffness between 250 and 1000 N/m: a world draws by its own seed and by nothing else.
  std::vector<double> stiffness;
  for (int w = 0; w < options.num_worlds; ++w) {
    const flexor::RandomStream random{flexor::seed_for(7, static_cast<std::uint64_t>(w)),
                                      flexor::kRandomParameters};
    stiffness.push_back(random.log_uniform(0, 250, 1000));
  }
  sim.set_parameter("tendon/rope/stiffness", stiffness);

  // Four seconds; the length is recorded twice, halfway and at the end: [world][2].
  std::vector<double> length(2 * stiffness.size());
  flexor::Rollout rollout;
  rollout.count = 2000;
  rollout.every = 1000;
  rollout.record = {{flexor::Field::tendon_length, length.data()}};
  sim.rollout(rollout);

  // At rest the spring carries the load: length = 1 + m g / stiffness, tension = m g.
  const flexor::ArrayRef tension = sim.array(flexor::Field::tendon_tension);
  for (long w = 0; w < options.num_worlds; ++w) {
    const std::size_t row = static_cast<std::size_t>(w);
    std::printf("%.2f N/m: %.5f m, %.3f N\n", stiffness[row], length[2 * row + 1],
                static_cast<const double*>(tension.data)[w]);
  }

  // Twice the load in world 0, written where the parameter lies in memory, and back again.
  const flexor::Snapshot at_rest = sim.state();
  const std::vector<std::uint64_t> hashes = sim.state_hash();
  double* mass = static_cast<double*>(sim.parameter("body/load/mass").data);
  mass[0] = 2;
  sim.commit();
  sim.rollout(rollout);
  std::printf("%.0f kg: %.5f m, %.3f N\n", mass[0], length[1],
              static_cast<const double*>(tension.data)[0]);
  mass[0] = 1;
  sim.commit();
  sim.set_state(at_rest);
  std::printf("%s\n", sim.state_hash() == hashes ? "the same bits again" : "other bits");
}
