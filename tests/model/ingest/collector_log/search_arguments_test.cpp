// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/search/search.h"
#include "model/ingest/importer.h"
#include "tests/support/log_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using Mode = SearchQuery::Mode;

TEST(SearchArguments, OfALogAreFoundWithoutItsText)
{
    const test::LogFolder folder;
    folder.write("000001.part", test::everythingLog(true).bytes());
    const auto trace = importTrace(folder.path(), {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    const TraceSet set = TraceSet::of({*trace});
    const auto namesOf = [&](const char *text, Mode mode, bool arguments) {
        const auto hits = search(set, {text, mode, true, arguments}, {});
        EXPECT_TRUE(hits);
        std::vector<std::string> names;
        SliceRef at;
        for (uint64_t number = 0; hits && number < hits->count(); ++number) {
            at = hits->next(at);
            names.emplace_back((*trace)->string((*trace)->slice(at.slice)->data.name));
        }
        return names;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(namesOf("#ff336699", Mode::Substring, true), Names{"load \"x\"\n"});
    EXPECT_EQ(namesOf("\"Collective name\":\"all.*e\"", Mode::Regex, true), Names{"aten::add"});
    EXPECT_EQ(namesOf("#ff336699", Mode::Substring, false), Names{});
    EXPECT_EQ(namesOf("#ff3366990", Mode::Substring, true), Names{});
}

} // namespace
} // namespace riffle
