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

TEST_P(Checkpoint, Case10GoingOnIsTheUnbrokenRun) {
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

TEST_P(Checkpoint, Case10GoesOnWithOtherThreads) {
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

/// A small checkpoint, as the bytes of its file.
std::string small_file(const testing::TemporaryFile& file) {
  const Simulation sim(suspended_load().finalize(), testing::reference_options(1));
  sim.save(file.path);
  return read_file(file.path);
}

TEST(CheckpointFile, Case11CutAtEveryLengthIsRefusedAndChangesNothing) {
  const TemporaryFile file("checkpoint_whole"), cut("checkpoint_cut");
  const std::string whole = small_file(file);
  Simulation other(suspended_load().finalize(), testing::reference_options(1));
  other.step(3);
  const auto before = other.state_hash();
  write_file(cut.path, whole);
  for (std::size_t size = whole.size(); size-- > 0;) {
    std::filesystem::resize_file(cut.path, size);
    const std::string text = refusal(other, cut.path);
    ASSERT_NE(text.find("truncated"), std::string::npos) << size << ": " << text;
  }
  EXPECT_NE(refusal(other, "/no/such/file"), "accepted");
  EXPECT_EQ(other.state_hash(), before);
}

/// The parts of a file and the member each belongs to: header and data, then directory entries; ""
/// for the end of the directory.
std::vector<std::pair<std::size_t, std::string>> parts_of(const std::string& file) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
  std::vector<std::pair<std::size_t, std::string>> parts;  // (end, member)
  std::vector<ZipMember> members;
  std::size_t at = 0;
  while (number_at<std::uint32_t>(bytes, at) == 0x04034b50) {
    const auto member =
        read_zip_header(bytes.subspan(at, zip_header_length(bytes.subspan(at))), at);
    at += kZipHeaderSize + member->name.size() + member->size;
    parts.emplace_back(at, member->name);
    members.push_back(*member);
  }
  for (const ZipMember& member : members)
    parts.emplace_back(at += kZipEntrySize + member.name.size(), member.name);
  parts.emplace_back(file.size(), "");
  return parts;
}

TEST(CheckpointFile, AnyFlippedByteIsFoundAndItsMemberNamed) {
  const TemporaryFile file("checkpoint_bytes"), bad("checkpoint_flipped");
  const std::string whole = small_file(file);
  Simulation other(suspended_load().finalize(), testing::reference_options(1));
  other.step(3);
  const auto before = other.state_hash();
  write_file(bad.path, whole);
  std::fstream changed(bad.path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, char byte) {
    changed.seekp(static_cast<std::streamoff>(at)).put(byte).flush();
  };
  std::size_t at = 0;
  for (const auto& [end, member] : parts_of(whole))
    for (; at < end; ++at) {
      put(at, static_cast<char>(whole[at] ^ (at % 2 == 0 ? 0x01 : 0xff)));
      const std::string text = refusal(other, bad.path);
      put(at, whole[at]);
      ASSERT_NE(text, "accepted") << at << " in " << member;
      ASSERT_NE(text.find(member), std::string::npos) << at << ": " << text;
    }
  EXPECT_EQ(at, whole.size());
  EXPECT_EQ(other.state_hash(), before);
}

TEST(CheckpointFile, AMemberThatTheDirectoryHasLostIsMissed) {
  const TemporaryFile file("checkpoint_members"), bad("checkpoint_lost");
  const std::string whole = small_file(file);
  const auto arrays = read_npz(file.path);
  Simulation other(suspended_load().finalize(), testing::reference_options(1));
  for (const auto& [lost, unused] : arrays) {
    NpzWriter writer(bad.path);
    for (const auto& [name, array] : arrays)
      if (name != lost) writer.add(name, array.descr, array.shape, array.data);
    writer.finish();
    const std::string text = refusal(other, bad.path);
    EXPECT_NE(text.find("member '" + lost + "' is missing"), std::string::npos) << text;
  }
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

TEST_P(Checkpoint, Case10OfSomeWorldsIsABatchOfThatMany) {
  const TemporaryFile file("checkpoint_rows");
  Simulation sim = stirred(options(6));
  sim.set_parameter("tendon/cord/damping", std::vector<double>{1, 2, 3, 4, 5, 6});
  sim.step(7);
  sim.save(file.path, std::vector<long>{3, 5});
  Simulation rows = Simulation::load(file.path);
  EXPECT_EQ(rows.options().num_worlds, 2);
  EXPECT_EQ(model_hash(rows.model()), model_hash(sim.model()));
  EXPECT_EQ(rows.parameter_values("tendon/cord/damping"), (std::vector<double>{4, 6}));
  sim.step(5), rows.step(5);
  EXPECT_EQ(rows.state_hash()[0], sim.state_hash()[3]);
  EXPECT_EQ(rows.state_hash()[1], sim.state_hash()[5]);
  EXPECT_THROW(sim.save(file.path, std::vector<long>{6}), ConfigError);
  EXPECT_THROW(sim.save(file.path, std::vector<long>{1, 2, 1}), ConfigError);
}

TEST_P(Checkpoint, OfOneWorldGoesToAll) {
  const TemporaryFile file("checkpoint_one");
  Simulation sim = stirred(options(3));
  sim.step(7);
  sim.save(file.path, std::vector<long>{1});
  Simulation all = Simulation::load(file.path, rig().finalize(), options(5));
  EXPECT_EQ(all.parameter_values("tendon/cord/stiffness"), std::vector<double>(5, 50.0));
  sim.step(5), all.step(5);
  EXPECT_EQ(all.state_hash(), std::vector<std::uint64_t>(5, sim.state_hash()[1]));
}

TEST(CheckpointFile, OfNoKindIsRefusedWhenASimulationIsToBeMadeOfIt) {
  const TemporaryFile text("foreign_text");
  write_file(text.path, "neither zip nor array");
  for (const auto& path :
       {text.path, std::filesystem::path("/"), std::filesystem::path(std::string("a\0b", 3))})
    EXPECT_THROW(Simulation::load(path), CheckpointError) << path;
}

TEST(CheckpointFile, AHeaderThatIsNoneIsRefusedAndSaysWhatItLacks) {
  const TemporaryFile file("header"), bad("header_bad");
  small_file(file);
  const auto arrays = read_npz(file.path);
  const NpyArray& own = arrays.at("header");
  const std::string header(reinterpret_cast<const char*>(own.data.data()), own.data.size());
  const auto refused = [&](const std::string& changed) -> std::string {
    NpzWriter writer(bad.path);
    writer.add("header", "|u1", {static_cast<long>(changed.size())},
               std::as_bytes(std::span(changed)));
    for (const auto& [name, array] : arrays)
      if (name != "header") writer.add(name, array.descr, array.shape, array.data);
    writer.finish();
    try {
      Simulation::load(bad.path);
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused(header), "accepted");
  for (const char* none : {"", "[]", "{", "null", "\xff\xfe", "{\"format\": \"3\"} x"})
    EXPECT_NE(refused(none).find("header"), std::string::npos) << none;
  const std::pair<const char*, const char*> changes[] = {
      {"\"format\": \"3\"", "\"format\": \"9\""},
      {"\"num_worlds\": 1", "\"num_worlds\": 0"},
      {"\"num_worlds\": 1", "\"num_worlds\": 1e9"},
      {"\"num_worlds\": 1", "\"num_worlds\": \"1\""},
      {"\"num_worlds\": 1", "\"worlds\": 1"},
      {"\"device\": \"reference\"", "\"device\": \"gpu\""},
      {"\"precision\": \"float64\"", "\"precision\": \"half\""},
      {"\"guard\": \"freeze\"", "\"guard\": \"pray\""},
      {"\"seed\": 0", "\"seed\": -1"},
      {"\"warm_start\": true", "\"warm_start\": 1"},
      {"\"outputs\": [\"all\"]", "\"outputs\": [1]"},
  };
  for (const auto& [from, to] : changes) {
    std::string changed = header;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), std::strlen(from), to);
    const std::string said = refused(changed);
    EXPECT_NE(said.find("member 'header'"), std::string::npos) << to << ": " << said;
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

  if (std::string(GetParam().device) == "cpu") {  // tests/python/test_checkpoints.py converts
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
  EXPECT_THROW(other.set_state(snapshot, std::vector<long>{2, 2}), ConfigError);
  Snapshot damaged = snapshot;
  damaged.field[static_cast<std::size_t>(Field::qpos)].pop_back();
  EXPECT_THROW(other.set_state(damaged, std::vector<long>{0, 2}), ConfigError);
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
  EXPECT_THROW(sim.clone_worlds(std::vector<long>{0}, std::vector<long>{1, 1}), ConfigError);
  sim.clone_worlds(std::vector<long>{0, 0}, std::vector<long>{1, 2});
  EXPECT_EQ(sim.state_hash()[1], sim.state_hash()[2]);
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
