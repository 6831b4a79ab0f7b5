// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/collector_log/collective_text.h"
#include "model/ingest/importer.h"
#include "model/trace/details.h"
#include "tests/support/log_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(LogCollectives, AreReadFromTheirText)
{
    const test::LogFolder folder;
    const auto trace = importTrace(folder.write("000001.part", test::everythingLog(true).bytes()), {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    const auto text = [&](uint32_t id) { return (*trace)->string(id); };
    ASSERT_EQ(detailCount(**trace, &Segment::collectives), 1u);
    const auto segment =
        std::ranges::find_if((*trace)->segments, [](const auto &each) { return !each->collectives.slice.empty(); });
    const CollectiveTable &rows = (*segment)->collectives;
    EXPECT_EQ(text((*trace)->slice(SliceId(rows.slice[0]))->data.name), "aten::add");
    EXPECT_EQ(text(rows.operation[0]), "allreduce");
    EXPECT_EQ(text(rows.dataType[0]), "Float");
    EXPECT_EQ(text(rows.group[0]), "1");
    EXPECT_EQ(text(rows.groupDescription[0]), "\"pair\"");
    EXPECT_EQ(text(rows.groupRanks[0]), "[0, 4]");
    EXPECT_EQ(rows.inElements[0], 100);
    EXPECT_EQ(rows.outElements[0], 0);
    EXPECT_EQ(rows.groupSize[0], 2);
    EXPECT_EQ(rows.rank[0], kNoInt); // the log says "none"
    EXPECT_EQ(rows.sequence[0], 9);
    EXPECT_NE(rows.inSplit[0], rows.outSplit[0]);
}

TEST(LogCollectives, LinesMayBeMissingOrTooMany)
{
    const std::string lines = std::string(40, '\n') + "x";
    const CollectiveText shorter("send\nFloat"), longer(lines), none("");
    EXPECT_EQ(shorter.line(CollectiveText::DataType), "Float");
    EXPECT_EQ(shorter.line(CollectiveText::Ranks), "");
    EXPECT_EQ(shorter.number(CollectiveText::InElements), wire::kAbsent);
    for (size_t line = 0; line < CollectiveText::Count; ++line) {
        EXPECT_EQ(longer.line(line), "");
        EXPECT_EQ(none.line(line), "");
    }
}

TEST(LogCollectives, NumbersThatAreNoneAreNotKnown)
{
    for (const char *text : {"", "-", "1x", "99999999999999999999", " 1", "0x1"})
        EXPECT_EQ(CollectiveText(std::string(4, '\n') + text).number(CollectiveText::InElements), wire::kAbsent)
            << text;
    EXPECT_EQ(CollectiveText("\n\n\n\n-1").number(CollectiveText::InElements), -1);
}

} // namespace
} // namespace riffle
