// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/layout/highlight_hits.h"

#include "tests/model/layout/random_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace riffle::test {
namespace {

constexpr WorkClassSet kWanted = (WorkClassSet{1} << 5) | (WorkClassSet{1} << 8);

/// Classes of the slices of a trace by chance.
std::shared_ptr<const WorkClasses> randomClasses(const Trace &trace, uint32_t seed)
{
    std::mt19937 random(seed);
    auto classes = std::make_shared<WorkClasses>();
    classes->slices = PerSlice<WorkClass>(trace, WorkClass::None);
    for (uint32_t slice = 0; slice < trace.sliceCount(); ++slice) {
        classes->slices[slice] = static_cast<WorkClass>(random() % kWorkClasses);
        classes->present |= bitOf(classes->slices[slice]);
    }
    return classes;
}

TEST(HighlightHits, SlicesOfClassesAndNames)
{
    TraceSet set;
    set.add(randomTrace(1, 40), TimeMap());
    set.add(randomTrace(2, 40), TimeMap());
    set.add(randomTrace(3, 40), TimeMap());
    SetWorkClasses classes; // those of the third trace are not known
    PerTrace<std::vector<uint32_t>> names;
    for (const TraceId id : {TraceId(0), TraceId(1)}) {
        classes[id] = randomClasses(*set.trace(id), id.value);
        for (uint32_t name = 0; name < set.trace(id)->strings.count(); name += 2)
            names[id].push_back(name);
    }
    const auto ofClasses = slicesOfClasses(set, classes, kWanted, nullptr, {});
    const auto ofBoth = slicesOfClasses(set, classes, kWanted, &names, {});
    for (const TraceId id : {TraceId(0), TraceId(1)}) {
        BigVector<uint32_t> wanted, wantedOfBoth;
        for (uint32_t slice = 0; slice < set.trace(id)->sliceCount(); ++slice) {
            const auto kind = static_cast<int>(classes[id]->slices[slice]);
            if (kind != 5 && kind != 8)
                continue;
            wanted.push_back(slice);
            if (set.trace(id)->slice(SliceId(slice))->data.name % 2 == 0)
                wantedOfBoth.push_back(slice);
        }
        EXPECT_EQ(ofClasses[id], wanted);
        EXPECT_EQ(ofBoth[id], wantedOfBoth);
        EXPECT_GT(wanted.size(), wantedOfBoth.size());
        EXPECT_GT(wantedOfBoth.size(), 0u);
    }
    EXPECT_TRUE(ofClasses[TraceId(2)].empty());
}

TEST(HighlightHits, ClassesThatDoNotOccurLeaveNothing)
{
    TraceSet set;
    set.add(randomTrace(1, 10), TimeMap());
    SetWorkClasses classes;
    classes[TraceId(0)] = std::make_shared<WorkClasses>();
    const auto hits = slicesOfClasses(set, classes, kWanted, nullptr, {});
    EXPECT_FALSE(hits.empty()) << "nothing would be quiet";
    EXPECT_TRUE(hits[TraceId(0)].empty());
}

} // namespace
} // namespace riffle::test
