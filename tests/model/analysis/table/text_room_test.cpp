// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/text_room.h"

#include <gtest/gtest.h>

using namespace riffle;

TEST(TextRoom, CutsLongTextsOnceItIsFull)
{
    TextRoom room;
    const std::string name(1 << 20, 'x');
    for (size_t at = 0; at < TextRoom::kBytes / name.size(); ++at)
        ASSERT_EQ(room.fit(name).size(), name.size());
    EXPECT_EQ(room.fit(name), std::string(TextRoom::kShort, 'x') + "…");
    EXPECT_EQ(room.fit(std::string(TextRoom::kShort, 'y')), std::string(TextRoom::kShort, 'y'))
        << "short texts are never cut";
}
