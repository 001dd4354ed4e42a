#include "model/sha256.hpp"

#include <gtest/gtest.h>

namespace flexor {
namespace {

// Examples of FIPS 180-2, appendix B.
TEST(Sha256, KnownDigests) {
  const auto digest = [](std::string_view text) {
    Sha256 sha;
    sha.update(text);
    return sha.finish();
  };
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

}  // namespace
}  // namespace flexor
