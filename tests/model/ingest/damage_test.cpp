// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/import_text.h"
#include "tests/support/naive_splitter.h"
#include "tests/support/trace_difference.h"
#include "tests/support/trace_generator.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace riffle {
namespace {

using namespace test;

std::string generated(uint64_t bytes)
{
    TraceOptions options;
    options.targetBytes = bytes;
    std::string text;
    ByteSink sink(ByteSink::toString(text));
    generateTrace(options, sink);
    sink.flush();
    return text;
}

/// A fault in one event of a text. The text keeps its length, so that all other events stay where they are.
struct Break {
    size_t begin, end; ///< of the event
    std::string what;
};

Break breakEvent(std::string &text, size_t begin, size_t end, std::mt19937_64 &random)
{
    Break broken{begin, end, {}};
    const auto somewhere = [&] { return begin + 1 + random() % (end - begin - 2); };
    switch (random() % 7) {
    case 0: {
        // A place inside a string: after the opening quote of the name.
        const size_t name = text.find("\"name\": \"", begin) + 9;
        text[name + random() % 2] = '"';
        broken.what = "quote in a name";
        break;
    }
    case 1:
        text[somewhere()] = '"';
        broken.what = "quote anywhere";
        break;
    case 2:
        text[end - 1] = ' ';
        broken.what = "no closing brace";
        break;
    case 3:
        text[somewhere()] = static_cast<char>(random() % 32);
        broken.what = "control byte";
        break;
    case 4:
        text[text.find(',', end)] = ' ';
        broken.what = "no comma behind it";
        break;
    case 5: {
        const size_t at = somewhere(), count = std::min<size_t>(1 + random() % 60, end - at);
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), count, ' ');
        broken.what = "bytes gone";
        break;
    }
    default: {
        const size_t at = text.find_first_of("{}[]", somewhere());
        text[at < end ? at : end - 1] = "{}[]"[random() % 4];
        broken.what = "another bracket";
        break;
    }
    }
    return broken;
}

using Slices = std::vector<std::array<int64_t, 4>>;

/// The offset, start, duration and thread of all slices except those of the broken events.
Slices slicesOutside(const Trace &trace, const std::vector<Break> &breaks)
{
    Slices slices;
    for (const auto &segment : trace.segments)
        for (uint32_t at = 0; at < segment->size(); ++at) {
            const uint64_t offset = segment->slices.sourceOffset[at];
            const auto after = std::upper_bound(breaks.begin(), breaks.end(), offset,
                                                [](uint64_t o, const Break &b) { return o < b.begin; });
            if (after != breaks.begin() && offset < std::prev(after)->end)
                continue;
            const RawId tid = trace.lanes[segment->lane.value].tid; // the number of a string depends on the others
            slices.push_back({static_cast<int64_t>(offset), segment->slices.start[at], segment->slices.duration[at],
                              tid.kind == RawId::Kind::Text ? 0 : tid.bits});
        }
    std::sort(slices.begin(), slices.end());
    return slices;
}

/// The text at the first difference of two lists, and the break before it; empty if the lists are equal.
std::string firstDifference(const Slices &found, const Slices &expected, const std::string &text,
                            const std::vector<Break> &breaks)
{
    const auto [mine, theirs] = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    if (mine == found.end() && theirs == expected.end())
        return {};
    const bool lost = mine == found.end() || (theirs != expected.end() && (*theirs)[0] < (*mine)[0]);
    const auto offset = static_cast<size_t>((*(lost ? theirs : mine))[0]);
    const Break *before = nullptr;
    for (const Break &broken : breaks)
        before = broken.begin < offset ? &broken : before;
    return (lost ? "lost: " : "new or different: ") + text.substr(offset, 300) +
           (before ? "\nbehind " + before->what + ": " + text.substr(before->begin, before->end - before->begin + 2)
                   : "");
}

/// Breaks `count` slices at random places and expects every other slice to be read as before.
void expectTheOthers(const std::string &whole, const Trace &expected, int count, uint32_t seed, size_t chunk)
{
    std::mt19937_64 random(seed);
    std::string text = whole;
    const size_t listEnd = text.find("\n  ],", text.size() - 4000);
    std::map<size_t, Break> chosen;
    while (chosen.size() < static_cast<size_t>(count)) {
        const size_t begin = naiveEventStart(text, random() % (listEnd - 10'000));
        if (text.compare(begin, 12, "{\n    \"ph\": ") != 0 || chosen.contains(begin))
            continue;
        const auto end = naiveValueEnd(whole, begin, 1 << 20);
        if (end && whole.substr(begin, *end - begin).find("\"X\"") != std::string::npos)
            chosen.emplace(begin, breakEvent(text, begin, *end, random));
    }
    std::vector<Break> breaks;
    for (const auto &[begin, broken] : chosen)
        breaks.push_back(broken);
    const auto trace = importText(text, chunk);
    ASSERT_TRUE(trace);
    EXPECT_EQ(sealProblem(**trace), "");
    EXPECT_EQ(firstDifference(slicesOutside(**trace, breaks), slicesOutside(expected, breaks), text, breaks), "")
        << "seed " << seed;
    EXPECT_GE((*trace)->sliceCount() + breaks.size(), expected.sliceCount());
    EXPECT_EQ((*trace)->info.metadata, expected.info.metadata);
}

TEST(DamageSlow, OneBrokenEventOfASmallTrace)
{
    const std::string text = generated(8'000'000);
    const auto expected = importText(text);
    ASSERT_TRUE(expected);
    for (uint32_t seed = 0; seed < 100; ++seed)
        ASSERT_NO_FATAL_FAILURE(expectTheOthers(text, **expected, 1, seed, seed % 3 ? 0 : 300'000));
}

TEST(DamageSlow, ManyBrokenEventsOfALargeTrace)
{
    const std::string text = generated(256'000'000);
    const auto expected = importText(text);
    ASSERT_TRUE(expected);
    for (uint32_t seed = 0; seed < 3; ++seed)
        ASSERT_NO_FATAL_FAILURE(expectTheOthers(text, **expected, 100, 1000 + seed, seed == 2 ? 1'000'000 : 0));
}

TEST(Damage, EveryOtherEventBroken)
{
    const std::string text = generated(1'000'000);
    const auto expected = importText(text);
    ASSERT_TRUE(expected);
    for (uint32_t seed = 0; seed < 10; ++seed)
        ASSERT_NO_FATAL_FAILURE(expectTheOthers(text, **expected, 60, 100 + seed, seed % 2 ? 0 : 10'000));
}

} // namespace
} // namespace riffle
