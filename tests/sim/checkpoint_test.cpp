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
class Snapshots : public testing::OnEachBackend {};
FLEXOR_ON_EACH_BACKEND(Checkpoint);
FLEXOR_ON_EACH_BACKEND(Snapshots);

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

TEST_P(Checkpoint, GoingOnIsTheUnbrokenRun) {  // interface case 10
  const TemporaryFile file("checkpoint");
  Simulation unbroken = stirred(options(3));
  unbroken.step(20);
  unbroken.save(file.path);
  unbroken.step(20);

  Simulation loaded(rig().finalize(), options(3));
  loaded.load_state(file.path);
  EXPECT_EQ(loaded.parameter_values("tendon/cord/stiffness"), (std::vector<double>{100, 50, 100}));
  EXPECT_FLOAT_EQ(loaded.parameter_values("tendon/sum/damping")[2], 0.3);
  EXPECT_EQ(numbers(loaded, Field::drive_force)[0], -1.5);
  loaded.step(20);
  EXPECT_EQ(loaded.state_hash(), unbroken.state_hash());
}

TEST_P(Checkpoint, GoesOnWithOtherThreads) {  // interface case 10
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

TEST_P(Checkpoint, CutAnywhereIsRefusedAndChangesNothing) {  // interface case 11
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

TEST_P(Checkpoint, AMemberLostOrRenamedInTheDirectoryIsMissed) {
  const TemporaryFile file("checkpoint_members"), bad("checkpoint_lost");
  Simulation sim = stirred(options(2));
  sim.save(file.path);
  const std::string whole = read_file(file.path), member = "parameter/tendon/cord/stiffness.npy";
  const std::size_t entry = whole.rfind(member);  // in the zip directory, behind all data
  ASSERT_NE(entry, std::string::npos);
  Simulation other(rig().finalize(), options(2));
  const auto before = other.state_hash();
  const auto refused = [&](std::size_t at, char bit) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ bit);
    write_file(bad.path, flipped);
    const std::string text = refusal(other, bad.path);
    EXPECT_NE(text, "accepted") << at;
    EXPECT_EQ(other.state_hash(), before);
    return text;
  };
  // every bit of its name there
  for (std::size_t i = 0; i < member.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) refused(entry + i, static_cast<char>(1 << bit));
  const std::string text = refused(entry, 1);
  EXPECT_NE(text.find("parameter/tendon/cord/stiffness"), std::string::npos) << text;
  // one entry fewer in both counts of the 64-bit end of the directory
  const std::size_t end = whole.rfind("PK\x06\x06");
  std::string shorter = whole;
  for (const std::size_t at : {end + 24, end + 32}) --shorter[at];
  write_file(bad.path, shorter);
  EXPECT_NE(refusal(other, bad.path).find("missing"), std::string::npos);
}

TEST_P(Checkpoint, AMemberThatTheHeaderDoesNotListIsRefused) {
  const TemporaryFile file("checkpoint_whole"), more("checkpoint_more");
  Simulation sim = stirred(options(2));
  sim.save(file.path);
  NpzWriter writer(more.path);
  for (const auto& [name, array] : read_npz(file.path))
    writer.add(name, array.descr, array.shape, array.data);
  writer.add("parameter/tendon/cord/damping", "<f8", {2, 1}, std::vector<std::byte>(16));
  writer.finish();
  const std::string text = refusal(sim, more.path);
  EXPECT_NE(text.find("parameter/tendon/cord/damping"), std::string::npos) << text;
}

TEST_P(Checkpoint, OfSomeWorldsIsABatchOfThatMany) {  // interface case 10
  const TemporaryFile file("checkpoint_rows");
  Simulation sim = stirred(options(6));
  sim.set_parameter("tendon/cord/damping", std::vector<double>{1, 2, 3, 4, 5, 6});
  sim.step(7);
  sim.save(file.path, std::vector<long>{3, 5});
  Simulation rows = Simulation::load(file.path, rig().finalize(), options(1));
  EXPECT_EQ(rows.options().num_worlds, 2);
  EXPECT_EQ(rows.parameter_values("tendon/cord/damping"), (std::vector<double>{4, 6}));
  sim.step(5), rows.step(5);
  EXPECT_EQ(rows.state_hash()[0], sim.state_hash()[3]);
  EXPECT_EQ(rows.state_hash()[1], sim.state_hash()[5]);
  EXPECT_THROW(sim.save(file.path, std::vector<long>{6}), ConfigError);
}

TEST_P(Checkpoint, OfNoKindIsRefusedWhenASimulationIsToBeMadeOfIt) {
  const TemporaryFile text("foreign_text"), archive("foreign_archive");
  write_file(text.path, "neither zip nor array");
  NpzWriter writer(archive.path);
  const std::string header = "{\"format\": \"2\", \"num_worlds\": 0}";
  writer.add("header", "|u1", {static_cast<long>(header.size())},
             std::as_bytes(std::span<const char>(header)));
  writer.finish();
  for (const auto& path : {text.path, archive.path, std::filesystem::path("/"),
                           std::filesystem::path(std::string("a\0b", 3))})
    EXPECT_THROW(Simulation::load(path, rig().finalize()), CheckpointError) << path;
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

TEST_P(Snapshots, GoIntoAnyBatchOfTheModel) {
  Simulation sim = stirred(options(6)), other(rig().finalize(), options(3));
  sim.step(5);
  numbers(sim, Field::body_wrench)[2] = 0.5;
  const Snapshot snapshot = sim.state(std::vector<long>{5, 2});
  sim.set_parameter("tendon/cord/stiffness", std::vector<double>{100});
  sim.set_parameter("tendon/sum/damping", std::vector<double>{0.1});
  other.set_state(snapshot, std::vector<long>{0, 2});
  EXPECT_EQ(other.state_hash()[0], sim.state_hash()[5]);
  EXPECT_EQ(other.state_hash()[2], sim.state_hash()[2]);
  sim.step(5), other.step(5);
  EXPECT_EQ(other.state_hash()[0], sim.state_hash()[5]);
  EXPECT_EQ(other.state_hash()[2], sim.state_hash()[2]);

  const auto before = other.state_hash();
  EXPECT_THROW(other.set_state(snapshot), ShapeError);
  EXPECT_THROW(other.set_state(snapshot, std::vector<long>{0, 3}), ConfigError);
  Simulation load(suspended_load().finalize(), options(2));
  EXPECT_THROW(load.set_state(snapshot), ConfigError);
  EXPECT_EQ(other.state_hash(), before);
}

TEST_P(Snapshots, ClonedWorldsGoOnAlike) {
  Simulation sim = stirred(options(5));
  sim.set_parameter("tendon/cord/stiffness", std::vector<double>{100});
  sim.step(3);
  const auto before = sim.state_hash();
  sim.clone_worlds(std::vector<long>{0, 1}, std::vector<long>{1, 0});
  EXPECT_EQ(sim.state_hash()[0], before[1]);
  EXPECT_EQ(sim.state_hash()[1], before[0]);
  sim.clone_worlds(std::vector<long>{2}, std::vector<long>{3, 4});
  sim.step(3);
  EXPECT_EQ(sim.state_hash()[3], sim.state_hash()[2]);
  EXPECT_EQ(sim.state_hash()[4], sim.state_hash()[2]);
  EXPECT_THROW(sim.clone_worlds(std::vector<long>{1, 2}, std::vector<long>{0}), ShapeError);
  EXPECT_THROW(sim.clone_worlds(std::vector<long>{5}, std::vector<long>{0}), ConfigError);
}

TEST(CheckpointFile, OfAPathThatNoFileCanHaveIsRefusedInAShortText) {
  const Simulation sim(testing::suspended_load().finalize(), testing::reference_options(1));
  for (const std::string& path : {std::string("a\0b", 3), std::string(9000, 'x'), std::string()})
    try {
      sim.save(path);
      ADD_FAILURE() << "no error for a path of " << path.size() << " characters";
    } catch (const FlexorError& error) {
      EXPECT_LT(std::string(error.what()).size(), 600u);
      EXPECT_EQ(std::string(error.what()).find('\0'), std::string::npos);
    }
  EXPECT_FALSE(std::filesystem::exists("a"));
}

TEST(CheckpointFile, LeavesWhatIsNoRegularFileAlone) {
  const Simulation sim(testing::suspended_load().finalize(), testing::reference_options(1));
  EXPECT_THROW(sim.save("/dev/null"), FlexorError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

}  // namespace
}  // namespace flexor
