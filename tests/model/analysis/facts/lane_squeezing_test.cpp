// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/lane_squeezing.h"

#include "model/ingest/importers.h"
#include "model/trace/details.h"
#include "tests/model/analysis/facts/python_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace riffle::test {
namespace {

/// The definition of plumbing, slice by slice.
class SlowPlumbing {
public:
    explicit SlowPlumbing(const Trace &trace) : m_trace(trace), m_holdsShown(trace.sliceCount())
    {
        m_children.resize(trace.sliceCount());
        for (uint32_t id = 0; id < trace.sliceCount(); ++id) {
            m_slices.push_back(*trace.slice(SliceId(id)));
            m_roles.push_back(m_slices.back().data.detail == SliceDetail::Python
                                  ? frameRole(trace.string(m_slices.back().data.name))
                                  : FrameRole::None);
        }
        for (const Slice &slice : m_slices)
            if (slice.parent.valid())
                m_children[slice.parent.value].push_back(slice.id.value);
    }

    const Slice &slice(uint32_t id) const { return m_slices[id]; }

    bool isHidden(uint32_t id)
    {
        if (m_roles[id] != FrameRole::Library && m_roles[id] != FrameRole::Wrapper)
            return false;
        const FrameRole caller = roleAround(id, true);
        const bool isCalledByUser = caller == FrameRole::Own || caller == FrameRole::None;
        if (m_roles[id] == FrameRole::Library)
            return !isCalledByUser;
        return !isCalledByUser || roleAround(id, false) == FrameRole::Wrapper || holdsShown(id);
    }

private:
    /// The role of the innermost frame around a slice; None if there is no frame.
    FrameRole roleAround(uint32_t id, bool skipsWrappers) const
    {
        for (SliceId at = m_slices[id].parent; at.valid(); at = m_slices[at.value].parent)
            if (const FrameRole role = m_roles[at.value];
                role != FrameRole::None && !(skipsWrappers && role == FrameRole::Wrapper))
                return role;
        return FrameRole::None;
    }

    bool holdsShown(uint32_t id)
    {
        if (!m_holdsShown[id])
            m_holdsShown[id] = std::ranges::any_of(
                m_children[id], [this](uint32_t child) { return !isHidden(child) || holdsShown(child); });
        return *m_holdsShown[id];
    }

    const Trace &m_trace;
    std::vector<Slice> m_slices;
    std::vector<FrameRole> m_roles;
    std::vector<std::vector<uint32_t>> m_children;
    std::vector<std::optional<bool>> m_holdsShown;
};

/// The rows that slices have in a trace without any others.
std::map<uint32_t, uint32_t> rowsAlone(SlowPlumbing &slow, const std::set<uint32_t> &ids)
{
    // The outer one of slices that start together is written first.
    std::vector<uint32_t> order(ids.begin(), ids.end());
    std::ranges::stable_sort(order, {}, [&](uint32_t id) {
        return std::tuple(slow.slice(id).data.start, -slow.slice(id).data.duration, slow.slice(id).depth);
    });
    SmallTrace alone;
    const uint32_t lane = alone.thread(1);
    for (const uint32_t id : order)
        alone.plain(lane, std::to_string(id), "", slow.slice(id).data.start, slow.slice(id).data.duration);
    const auto trace = alone.seal();
    std::map<uint32_t, uint32_t> rows;
    for (uint32_t at = 0; at < trace->sliceCount(); ++at) {
        const Slice slice = *trace->slice(SliceId(at));
        rows[static_cast<uint32_t>(std::stoul(std::string(trace->string(slice.data.name))))] = slice.row;
    }
    return rows;
}

/// Compares the squeezed lanes of a trace with the definition. Returns the number of lanes that are squeezed.
size_t checkSqueezedLanes(const Trace &trace)
{
    const auto squeezed = squeezedLanes(trace);
    SlowPlumbing slow(trace);
    std::vector<std::set<uint32_t>> wanted(trace.lanes.size());
    for (uint32_t id = 0; id < trace.sliceCount(); ++id)
        if (!slow.isHidden(id))
            wanted[slow.slice(id).lane.value].insert(id);
    size_t count = 0;
    uint32_t number = 0;
    for (uint32_t index = 0; index < trace.lanes.size(); ++index) {
        const SqueezedLane *lane = squeezed->of(LaneId(index));
        if (!lane) {
            EXPECT_EQ(wanted[index].empty(), trace.lanes[index].slices == 0) << "nothing of the lane is shown";
            continue;
        }
        ++count;
        EXPECT_LT(lane->rows, trace.lanes[index].rows);
        EXPECT_EQ(lane->firstNumber, number);
        std::map<uint32_t, uint32_t> rows; // by SliceId
        for (const Segment &segment : lane->segments) {
            EXPECT_EQ(segment.firstSlice, number);
            EXPECT_LE(segment.rows(), lane->rows);
            for (uint32_t row = 0; row < segment.rows(); ++row)
                for (uint32_t at = segment.rowBegin[row]; at < segment.rowBegin[row + 1]; ++at) {
                    const SliceId id = lane->sliceOf(number + at);
                    const Slice &slice = slow.slice(id.value);
                    EXPECT_EQ(segment.slices.start[at], slice.data.start);
                    EXPECT_EQ(segment.slices.duration[at], slice.data.duration);
                    EXPECT_EQ(segment.slices.name[at], slice.data.name);
                    EXPECT_TRUE(segment.span.begin <= slice.data.start && slice.end() <= segment.span.end);
                    EXPECT_TRUE(rows.emplace(id.value, row).second) << "a slice is drawn twice";
                    if (at > segment.rowBegin[row]) {
                        EXPECT_GE(segment.slices.start[at], segment.end(at - 1)) << "slices of a row overlap";
                    }
                    const auto place = lane->find(id, slice.data.start);
                    EXPECT_TRUE(place && place->segment == &segment && place->at == at);
                }
            number += segment.size();
        }
        EXPECT_EQ(rows, rowsAlone(slow, wanted[index]));
        for (uint32_t id = 0; id < trace.sliceCount(); ++id) {
            const bool isPlumbing = slow.slice(id).lane.value == index && !wanted[index].contains(id);
            EXPECT_FALSE(isPlumbing && lane->find(SliceId(id), slow.slice(id).data.start)) << "plumbing has a place";
        }
    }
    return count;
}

TEST(LaneSqueezing, IsAsDefinedInRandomLanes)
{
    size_t count = 0;
    for (uint32_t seed = 0; seed < 60; ++seed)
        count += checkSqueezedLanes(*PythonTraceMaker(seed).make(6));
    EXPECT_GT(count, 60u);
}

TEST(LaneSqueezing, IsAsDefinedInLanesOfManySegments)
{
    size_t count = 0;
    for (uint32_t seed = 100; seed < 130; ++seed)
        count += checkSqueezedLanes(*PythonTraceMaker(seed).make(6, 7));
    EXPECT_GT(count, 30u);
}

TEST(LaneSqueezing, MovesWhatLiesInPlumbingUp)
{
    SmallTrace small;
    const uint32_t main = small.thread(1);
    small.frame(main, "train.py(1): main", 0, 100);
    small.frame(main, "nn.Module: Net_0", 10, 60);
    small.frame(main, "torch/nn/modules/module.py(1751): _call_impl", 11, 50);
    small.operation(main, "aten::mm", 20, 30);
    small.operation(main, "aten::add", 80, 10);
    const auto trace = small.seal();
    const auto squeezed = squeezedLanes(*trace);
    const SqueezedLane *lane = squeezed->of(LaneId(0));
    ASSERT_TRUE(lane);
    EXPECT_EQ(lane->rows, 3u);
    const auto rowOf = [&](const char *name, Ns start) {
        const auto place = lane->find(sliceNamed(*trace, name), start);
        return place ? std::optional(place->segment->rowOf(place->at)) : std::nullopt;
    };
    EXPECT_EQ(rowOf("nn.Module: Net_0", 10), 1u);
    EXPECT_EQ(rowOf("torch/nn/modules/module.py(1751): _call_impl", 11), std::nullopt);
    EXPECT_EQ(rowOf("aten::mm", 20), 2u);
    EXPECT_EQ(rowOf("aten::add", 80), 1u);
}

TEST(LaneSqueezing, LeavesLanesWholeThatWouldSaveNoRow)
{
    SmallTrace small;
    const uint32_t main = small.thread(1), other = small.thread(2);
    small.frame(main, "train.py(1): main", 0, 100);
    small.frame(main, "train.py(2): work", 10, 20);
    small.frame(main, "<built-in function relu>", 50, 20);
    small.operation(main, "aten::relu", 50, 20);
    small.operation(other, "aten::mm", 0, 100);
    small.operation(other, "aten::addmm", 10, 50);
    const auto trace = small.seal();
    EXPECT_TRUE(squeezedLanes(*trace)->of(LaneId(0)));
    EXPECT_FALSE(squeezedLanes(*trace)->of(LaneId(1)));
    SmallTrace flat;
    const uint32_t lane = flat.thread(1);
    flat.frame(lane, "train.py(1): main", 0, 100);
    flat.frame(lane, "train.py(2): work", 10, 20);
    flat.frame(lane, "torch/_tensor.py(570): backward", 50, 20);
    EXPECT_FALSE(squeezedLanes(*flat.seal())->of(LaneId(0)));
    EXPECT_FALSE(squeezedLanes(*SmallTrace().seal())->of(LaneId(0)));
}

TEST(LaneSqueezingSlow, IsAsDefinedInRealTraces)
{
    const char *variable = std::getenv("RIFFLE_TRACES");
    const std::filesystem::path folder = std::filesystem::path(variable ? variable : "../shared/traces") / "kineto";
    if (!std::filesystem::is_directory(folder))
        GTEST_SKIP() << "NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.";
    size_t count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const auto trace = importTrace(entry.path().string(), {}, {});
        if (!trace || !hasDetails(**trace, &Segment::python))
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        count += checkSqueezedLanes(**trace);
    }
    EXPECT_GT(count, 0u);
}

} // namespace
} // namespace riffle::test
