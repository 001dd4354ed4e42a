// Checkpoints: whole, cut, foreign.   [IA-6]

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>

#include "sim/npz.hpp"
#include "sim_models.hpp"

namespace flexor {
namespace {

using testing::numbers;
using testing::rig;
using testing::suspended_load;
using testing::TemporaryFile;

class Checkpoint : public testing::OnEachBackend {};
FLEXOR_ON_EACH_BACKEND(Checkpoint);

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Simulation stirred(const SimulationOptions& options) {
  Simulation sim(rig().finalize(), options);
  const long num_worlds = options.num_worlds;
  for (int w = 0; w < num_worlds; ++w)
    for (int d = 0; d < 10; ++d) numbers(sim, Field::qvel, d)[w] = 0.1 * std::sin(1.0 + w + 3 * d);
  numbers(sim, Field::drive_force)[0] = -1.5;
  sim.set_parameter("tendon/sum/damping", std::vector<double>{0.3});
  sim.set_parameter("tendon/cord/stiffness", std::vector<double>{50}, std::vector<long>{1});
  return sim;
}

std::string refusal(Simulation& sim, const std::filesystem::path& path) {
  try {
    sim.load_state(path);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Crc32, KnownValue) {
  const std::string digits = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(digits))), 0xcbf43926u);
}

TEST(Npz, ReadsWhatItWrites) {
  const TemporaryFile file("npz");
  const std::vector<double> data = {1, 2.5, -3, 4, 5, 6};
  {
    NpzWriter writer(file.path);
    writer.add("a/b", "<f8", {2, 3}, std::as_bytes(std::span(data)));
    writer.add("empty", "<f4", {0, 7}, std::span<const std::byte>());
    EXPECT_FALSE(std::filesystem::exists(file.path));
    writer.finish();
  }
  const auto arrays = read_npz(file.path);
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("a/b").shape, (std::vector<long>{2, 3}));
  EXPECT_EQ(arrays.at("a/b").descr, "<f8");
  EXPECT_EQ(std::memcmp(arrays.at("a/b").data.data(), data.data(), 48), 0);
  EXPECT_EQ(arrays.at("empty").shape, (std::vector<long>{0, 7}));
}

TEST(Npz, AnUnfinishedFileLeavesNothingBehind) {
  const TemporaryFile file("npz_unfinished");
  { NpzWriter writer(file.path); }
  for (const auto& entry : std::filesystem::directory_iterator(file.path.parent_path()))
    EXPECT_NE(entry.path().string().rfind(file.path.string(), 0), 0u) << entry.path();
  EXPECT_THROW(NpzWriter("/nowhere/at/all.npz"), FlexorError);
}

TEST_P(Checkpoint, GoingOnIsTheUnbrokenRun) {  // interfaces.md 10, case 10
  const TemporaryFile file("checkpoint");
  Simulation unbroken = stirred(options(3));
  unbroken.step(20);
  unbroken.save(file.path);
  unbroken.step(20);

  Simulation loaded(rig().finalize(), options(3));
  loaded.load_state(file.path);
  EXPECT_EQ(loaded.parameter("tendon/cord/stiffness"), (std::vector<double>{100, 50, 100}));
  EXPECT_FLOAT_EQ(loaded.parameter("tendon/sum/damping")[2], 0.3);
  EXPECT_EQ(numbers(loaded, Field::drive_force)[0], -1.5);
  loaded.step(20);
  EXPECT_EQ(loaded.state_hash(), unbroken.state_hash());
}

TEST_P(Checkpoint, GoesOnWithOtherThreads) {  // interfaces.md 10, case 10
  const TemporaryFile file("checkpoint_threads");
  SimulationOptions one = options(40), two = options(40);
  one.num_threads = 1, two.num_threads = 2;
  Simulation unbroken = stirred(one);
  unbroken.step(7);
  unbroken.save(file.path);
  unbroken.step(10);
  Simulation loaded(rig().finalize(), two);
  loaded.load_state(file.path);
  loaded.step(10);
  EXPECT_EQ(loaded.state_hash(), unbroken.state_hash());
}

TEST_P(Checkpoint, RefreshesGeometryWhenLoaded) {
  const TemporaryFile file("checkpoint_geometry");
  Simulation sim = stirred(options(2));
  sim.step(10);
  sim.save(file.path);
  Simulation loaded(rig().finalize(), options(2));
  loaded.load_state(file.path);
  EXPECT_EQ(numbers(loaded, Field::tendon_length)[1], numbers(sim, Field::tendon_length)[1]);
}

TEST_P(Checkpoint, AFrozenWorldStaysFrozen) {
  const TemporaryFile file("checkpoint_frozen");
  Simulation sim = stirred(options(2));
  numbers(sim, Field::qvel)[1] = kNaN;
  sim.step();
  sim.save(file.path);
  Simulation loaded(rig().finalize(), options(2));
  loaded.load_state(file.path);
  EXPECT_EQ(loaded.state_hash(), sim.state_hash());
}

TEST_P(Checkpoint, CutAnywhereIsRefusedAndChangesNothing) {  // interfaces.md 10, case 11
  const TemporaryFile file("checkpoint_whole"), cut("checkpoint_cut");
  Simulation sim = stirred(options(2));
  sim.save(file.path);
  const std::string whole = read_file(file.path);
  Simulation other(rig().finalize(), options(2));
  const auto before = other.state_hash();
  for (std::size_t part = 0; part < 50; ++part) {
    write_file(cut.path, whole.substr(0, whole.size() * part / 50));
    EXPECT_NE(refusal(other, cut.path), "accepted") << part;
  }
  write_file(cut.path, whole.substr(0, whole.size() - 1));
  EXPECT_NE(refusal(other, cut.path), "accepted");
  EXPECT_NE(refusal(other, "/no/such/file"), "accepted");
  EXPECT_EQ(other.state_hash(), before);
}

TEST_P(Checkpoint, AnyFlippedBitOfDataIsFoundAndItsMemberNamed) {
  const TemporaryFile file("checkpoint_bits"), bad("checkpoint_flipped");
  Simulation sim = stirred(options(2));
  sim.save(file.path);
  const std::string whole = read_file(file.path);
  const std::size_t at = whole.find("qvel.npy") + 200;
  std::string flipped = whole;
  flipped[at] = static_cast<char>(flipped[at] ^ 4);
  write_file(bad.path, flipped);
  Simulation other(rig().finalize(), options(2));
  const auto before = other.state_hash();
  const std::string text = refusal(other, bad.path);
  EXPECT_NE(text.find("qvel"), std::string::npos) << text;
  // anywhere in the file: refused, or (times, versions, padding) without effect, never a crash
  for (std::size_t i = 0; i < whole.size(); i += 37) {
    flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x10);
    write_file(bad.path, flipped);
    Simulation victim(rig().finalize(), options(2));
    if (refusal(victim, bad.path) == "accepted")
      EXPECT_EQ(victim.state_hash(), sim.state_hash()) << i;
    else
      EXPECT_EQ(victim.state_hash(), before) << i;
  }
}

TEST_P(Checkpoint, OfAnotherModelOrBatchIsRefused) {
  const TemporaryFile file("checkpoint_foreign");
  Simulation sim = stirred(options(2));
  sim.save(file.path);
  Simulation load(suspended_load().finalize(), options(2));
  EXPECT_NE(refusal(load, file.path).find("another model"), std::string::npos);
  Simulation larger(rig().finalize(), options(3));
  EXPECT_NE(refusal(larger, file.path).find("num_worlds"), std::string::npos);

  if (std::string(GetParam().device) == "cpu") {
    SimulationOptions other = options(2);
    other.precision = is_float() ? Precision::kFloat64 : Precision::kFloat32;
    Simulation converted(rig().finalize(), other);
    EXPECT_NE(refusal(converted, file.path).find("precision"), std::string::npos);
  }

  // a whole archive that is no checkpoint
  const TemporaryFile archive("archive");
  NpzWriter writer(archive.path);
  writer.finish();
  EXPECT_NE(refusal(larger, archive.path).find("header"), std::string::npos);
}

TEST_P(Checkpoint, EqualStatesGiveEqualFiles) {
  const TemporaryFile a("checkpoint_a"), b("checkpoint_b");
  stirred(options(2)).save(a.path);
  stirred(options(2)).save(b.path);
  EXPECT_EQ(read_file(a.path), read_file(b.path));
}

TEST(CheckpointFile, LeavesWhatIsNoRegularFileAlone) {
  const Simulation sim(testing::suspended_load().finalize(), testing::reference_options(1));
  EXPECT_THROW(sim.save("/dev/null"), FlexorError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace flexor
