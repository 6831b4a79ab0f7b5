// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/growth/lane_growth.h"

#include "model/trace/seal/lane_nesting.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace riffle {
namespace {

/// A slice that a recorded thread made. Its number identifies it in all generations.
struct Made {
    int64_t number = 0;
    Ns start = 0, end = NestedSpan::kOpen;
    uint64_t address = 0; ///< the order in which slices arrive; of open ones: when they were last listed
};

/// A thread that makes slices, and a recorder that delivers them late.
class RecordedThread {
public:
    RecordedThread(uint64_t seed, double crossing, double late, double falseMarks)
        : m_random(seed)
        , m_crossing(crossing)
        , m_late(late)
        , m_false(falseMarks)
    {
    }

    void run(int steps)
    {
        for (int step = 0; step < steps; ++step) {
            m_now += chance(0.9) ? 1 + static_cast<Ns>(m_random() % 5) : 0;
            const bool mayPush = m_stack.size() < 12;
            if (mayPush && chance(0.5))
                push();
            else if (!m_stack.empty() && chance(0.9))
                pop();
            if (chance(m_late)) // a call that the profiler reports later, with the time that it took
                call();
        }
    }
    /// Delivers what has ended. Calls of the profiler may stay behind.
    void flush(LaneGrowth &lane, bool everything)
    {
        std::vector<Made> ready;
        std::swap(ready, m_ended);
        for (Made &one : ready)
            deliver(lane, one);
        const Ns callMark = m_calls.empty() ? m_now : m_calls.front().start;
        std::vector<Made> held;
        for (Made &one : m_calls)
            if (everything || chance(0.5))
                deliver(lane, one);
            else
                held.push_back(one);
        m_calls = held;
        std::vector<SliceRow> open;
        for (Made &one : m_stack) {
            one.address = ++m_address;
            open.push_back(row(one));
        }
        lane.setOpen(open);
        const Ns known = m_calls.empty() ? m_now : std::min(callMark, m_calls.front().start);
        lane.settle(chance(m_false) ? m_now : known);
    }
    std::vector<Made> all() const
    {
        std::vector<Made> all = m_delivered;
        for (Made one : m_stack) {
            one.end = end();
            all.push_back(one);
        }
        return all;
    }
    bool isDone() const { return m_calls.empty(); }
    Ns end() const { return m_now + 1; }
    size_t openCount() const { return m_stack.size(); }

private:
    bool chance(double of) { return std::uniform_real_distribution<>(0, 1)(m_random) < of; }
    void push()
    {
        m_now += m_now == m_lastPush; // of two ranges with the same start, a recorder does not say which one ended
        m_lastPush = m_now;
        m_stack.push_back({++m_number, m_now});
    }
    void pop()
    {
        // Ranges that start and end by id cross others.
        const size_t at = chance(m_crossing) ? m_random() % m_stack.size() : m_stack.size() - 1;
        Made ended = m_stack[at];
        m_stack.erase(m_stack.begin() + static_cast<std::ptrdiff_t>(at));
        ended.end = m_now;
        m_ended.push_back(ended);
    }
    void call()
    {
        m_now += m_now == m_lastPush;
        m_lastPush = m_now;
        Made call{++m_number, m_now};
        m_now += static_cast<Ns>(m_random() % 40);
        call.end = m_now;
        m_calls.push_back(call);
    }
    SliceRow row(const Made &one) const
    {
        SliceRow row{};
        row.start = one.start;
        const bool isOpen = one.end == NestedSpan::kOpen;
        row.phase = isOpen ? 'B' : 'X';
        row.flags = isOpen ? slice_flag::Unfinished : 0;
        row.duration = isOpen ? 0 : one.end - one.start;
        row.sourceOffset = one.address;
        row.correlation = one.number;
        return row;
    }
    void deliver(LaneGrowth &lane, Made one)
    {
        one.address = ++m_address;
        m_delivered.push_back(one);
        lane.add(row(one), nullptr);
    }

    std::mt19937_64 m_random;
    double m_crossing, m_late, m_false;
    Ns m_now = 0, m_lastPush = -1;
    int64_t m_number = 0;
    uint64_t m_address = 0;
    std::vector<Made> m_stack, m_ended, m_calls, m_delivered;
};

/// The answers of a lane about a slice.
struct Said {
    Ns start = 0, end = 0;
    int64_t parent = 0; ///< number; 0 for none
    uint32_t depth = 0;
    Ns self = 0;
    bool crossing = false;
    bool operator==(const Said &) const = default;
    friend void PrintTo(const Said &said, std::ostream *out)
    {
        *out << "[" << said.start << ", " << said.end << ") in " << said.parent << " depth " << said.depth << " self "
             << said.self << (said.crossing ? " crossing" : "");
    }
};

std::map<int64_t, Said> byDefinition(std::vector<Made> all)
{
    std::ranges::sort(all, [](const Made &a, const Made &b) {
        return std::tuple(a.start, -(a.end - a.start), a.address) < std::tuple(b.start, -(b.end - b.start), b.address);
    });
    std::vector<Ns> start, duration;
    for (const Made &one : all) {
        start.push_back(one.start);
        duration.push_back(one.end - one.start);
    }
    const Nesting nested = nestLane({NestingInput::Policy::Thread, start, duration, {}, {}});
    std::map<int64_t, Said> said;
    for (uint32_t at = 0; at < all.size(); ++at)
        said[all[at].number] = {
            all[at].start,    all[at].end,     nested.parent[at] == Nesting::kNone ? 0 : all[nested.parent[at]].number,
            nested.depth[at], nested.self[at], std::ranges::binary_search(nested.crossing, at)};
    return said;
}

std::map<int64_t, Said> byView(const LaneGrowth::View &view)
{
    std::map<uint32_t, int64_t> numberOf;
    std::map<int64_t, SliceId> parentOf;
    std::map<int64_t, Said> said;
    for (const auto &segment : view.segments)
        for (uint32_t index = 0; index < segment->size(); ++index) {
            const int64_t number = segment->slices.correlation[index];
            numberOf[segment->idAt(index).value] = number;
            const uint32_t parent = segment->nesting.parent[index];
            parentOf[number] = parent != kNoRow
                                   ? segment->idAt(parent)
                                   : view.longSlices
                                         ->around({segment->slices.start[index], segment->end(index),
                                                   segment->idAt(index), segment->slices.sourceOffset[index]})
                                         .id;
            said[number] = {segment->slices.start[index],
                            segment->end(index),
                            0,
                            0,
                            segment->nesting.self[index],
                            (segment->slices.flags[index] & slice_flag::Crossing) != 0};
        }
    for (auto &[number, one] : said) {
        one.parent = parentOf[number].valid() ? numberOf[parentOf[number].value] : 0;
        for (int64_t at = one.parent; at != 0; at = said[at].parent        ? said[at].parent
                                                    : parentOf[at].valid() ? numberOf[parentOf[at].value]
                                                                           : 0)
            ++one.depth;
    }
    return said;
}

void expectNoOverlap(const LaneGrowth::View &view)
{
    std::map<uint32_t, std::vector<TimeSpan>> rows;
    for (const auto &segment : view.segments)
        for (uint32_t row = 0; row < segment->rows(); ++row)
            for (uint32_t index = segment->rowBegin[row]; index < segment->rowBegin[row + 1]; ++index)
                rows[row].push_back({segment->slices.start[index], segment->end(index)});
    for (auto &[row, spans] : rows) {
        std::ranges::sort(spans, {}, &TimeSpan::begin);
        for (size_t at = 1; at < spans.size(); ++at)
            ASSERT_LE(spans[at - 1].end, spans[at].begin) << "row " << row;
    }
}

struct Kind {
    const char *name;
    double crossing, late, falseMarks;
    friend void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }
};

class LaneGrowthTest : public testing::TestWithParam<Kind> {};

TEST_P(LaneGrowthTest, TheLastViewEqualsNestingAtOnce)
{
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        SliceIds ids;
        GrowthMemory memory;
        MergeThread merger(seed % 2 ? MergeThread::kAtOnce : 0);
        // In every third run, hardly anything waits for a moment that no slice contains.
        const LanePatience patience = seed % 3 ? LanePatience() : LanePatience{4, 10};
        LaneGrowth lane(LaneId(0), LaneGrowth::Policy::Nested, ids, memory, merger, patience);
        RecordedThread thread(seed, GetParam().crossing, GetParam().late, GetParam().falseMarks);
        std::mt19937_64 random(seed);
        std::map<int64_t, SliceId> handedOut;
        const int ticks = 2 + static_cast<int>(random() % 60);
        for (int tick = 0; tick < ticks; ++tick) {
            thread.run(1 + static_cast<int>(random() % 40));
            thread.flush(lane, tick + 1 == ticks);
            const LaneGrowth::View view = lane.view(thread.end());
            expectNoOverlap(view);
            for (const auto &segment : view.segments)
                for (uint32_t index = 0; index < segment->size(); ++index) {
                    const SliceId id = segment->idAt(index);
                    ASSERT_EQ(segment->indexOf(id), index);
                    const auto [known, isNew] = handedOut.emplace(segment->slices.correlation[index], id);
                    ASSERT_EQ(known->second, id) << "slice " << known->first;
                }
        }
        lane.finish(thread.end());
        const LaneGrowth::View view = lane.view(thread.end());
        expectNoOverlap(view);
        const std::map<int64_t, Said> expected = byDefinition(thread.all()), found = byView(view);
        ASSERT_EQ(found.size(), expected.size());
        for (const auto &[number, said] : expected) {
            ASSERT_EQ(found.at(number), said) << "slice " << number;
        }
    }
}

TEST(LaneGrowth, ALongSliceThatVanishesKeepsNoOthersFromLeaving)
{
    SliceIds ids;
    GrowthMemory memory;
    MergeThread merger;
    LaneGrowth lane(LaneId(0), LaneGrowth::Policy::Nested, ids, memory, merger);
    constexpr Ns kSlices = 5 * LongPages::kSlices;
    const auto rowAt = [](Ns number) {
        SliceRow row{};
        row.start = 10 * number;
        row.correlation = row.externalId = kNoInt;
        row.sourceOffset = static_cast<uint64_t>(number) + 1;
        row.flags = slice_flag::Unfinished;
        return row;
    };
    // The slice 30 is open until there are other pages, and the record of its end is lost.
    const auto setOpen = [&](Ns number, std::vector<SliceRow> open) {
        if (number > 30 && number < 150)
            open.insert(open.begin(), rowAt(30));
        lane.setOpen(open);
    };
    for (Ns number = 0; number < kSlices; ++number) {
        SliceRow row = rowAt(number);
        setOpen(number, {row});
        row.flags = 0;
        row.duration = 5;
        if (number != 30)
            lane.add(row, nullptr);
        setOpen(number + 1, {});
        lane.settle(row.start + 9);
        (void)lane.view(row.start + 9);
    }
    const auto all = static_cast<uint64_t>(kSlices);
    EXPECT_EQ(lane.view(10 * kSlices).slices, all - 1);
    EXPECT_GE(lane.leaveBefore(10 * kSlices), all - 2 * LongPages::kSlices);
}

INSTANTIATE_TEST_SUITE_P(Threads, LaneGrowthTest,
                         testing::Values(Kind{"nested", 0, 0, 0}, Kind{"lateCalls", 0, 0.1, 0},
                                         Kind{"crossing", 0.1, 0, 0}, Kind{"lateAndCrossing", 0.05, 0.1, 0},
                                         Kind{"behindTheMark", 0, 0.1, 0.5}, Kind{"everything", 0.05, 0.1, 0.5}),
                         [](const auto &kind) { return kind.param.name; });

} // namespace
} // namespace riffle
