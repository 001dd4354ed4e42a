// JSON values, read back as they were written, and texts that are none.

#include "io/json.hpp"

#include <gtest/gtest.h>

namespace flexor::io {
namespace {

TEST(Json, ReadsEveryKindOfValue) {
  const auto json =
      parse_json(R"( {"a": [1, -2.5e3, true, null], "b": {"c": "x"}, "empty": [ ], "none": {}} )");
  ASSERT_TRUE(json);
  ASSERT_EQ(json->kind, Json::Kind::kObject);
  const Json* list = json->find("a");
  ASSERT_TRUE(list != nullptr && list->items.size() == 4);
  EXPECT_EQ(list->items[0].text, "1");
  EXPECT_EQ(list->items[1].text, "-2.5e3");
  EXPECT_EQ(list->items[1].kind, Json::Kind::kNumber);
  EXPECT_EQ(list->items[2].kind, Json::Kind::kBool);
  EXPECT_EQ(list->items[3].kind, Json::Kind::kNull);
  EXPECT_EQ(json->find("b")->find("c")->text, "x");
  EXPECT_TRUE(json->find("empty")->items.empty());
  EXPECT_EQ(json->find("none")->kind, Json::Kind::kObject);
  EXPECT_EQ(json->find("c"), nullptr);
}

TEST(Json, TextsComeBack) {
  std::string text = "quote \" slash \\ \xc3\xa9";
  for (char c = 1; c < 0x20; ++c) text += c;
  const auto json = parse_json(json_text(text));
  ASSERT_TRUE(json);
  EXPECT_EQ(json->text, text);
  EXPECT_EQ(parse_json(R"("\u00e9\/\ud83d\ude00")")->text, "\xc3\xa9/\xf0\x9f\x98\x80");
}

TEST(Json, WhatIsNoneIsNothing) {
  for (const char* text :
       {"", " ", "{", "[1", "[1,]", "{\"a\"}", "{\"a\": }", "{a: 1}", "\"", "\"\\u12\"", "\"\\x\"",
        "\"\\ud83d\"", "\"a\nb\"", "1 2", "nul", "1x", "--1", "[1}", "{\"a\": 1,}"})
    EXPECT_FALSE(parse_json(text)) << text;
  EXPECT_FALSE(parse_json(std::string(100000, '[')));
}

}  // namespace
}  // namespace flexor::io
