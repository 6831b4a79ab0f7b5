// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/query/query_engine.h"
#include "model/trace/growth/trace_growth.h"
#include "tests/model/query/asked.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace riffle {
namespace {

/// Three threads that launch kernels, tick by tick: so many launches that the links of the trace are in several runs.
std::shared_ptr<const Trace> grownLaunches(uint32_t seed)
{
    std::mt19937 random(seed);
    TraceGrowth growth;
    std::shared_ptr<const Trace> trace;
    Ns now = 1'000;
    uint64_t address = 0;
    int64_t correlation = 0;
    const auto memory = std::make_shared<ColumnMemory>();
    for (int tick = 0; tick < 60; ++tick) {
        TraceWriter rows(memory);
        rows.beginBatch(0);
        for (uint32_t count = random() % 400; count > 0; --count) {
            const uint32_t thread = random() % 3;
            LaneKey host, device;
            host.pid = {1, RawId::Kind::Signed};
            host.tid = {thread, RawId::Kind::Signed};
            device.kind = LaneKind::Stream;
            device.pid = {0, RawId::Kind::Signed};
            device.tid = {7, RawId::Kind::Signed};
            SliceRow row{};
            row.start = now += 10;
            row.duration = 5;
            row.phase = 'X';
            row.externalId = kNoInt;
            row.correlation = ++correlation;
            row.sourceOffset = ++address;
            row.name = rows.intern("cudaLaunchKernel", 1);
            row.category = rows.intern("cuda_runtime", 1);
            rows.slice(row, rows.lane(host, 0));
            row.name = rows.intern("kernel " + std::to_string(random() % 5), 1);
            row.category = rows.intern("kernel", 1);
            row.start += 3;
            row.flags = slice_flag::OnStream;
            row.detail = SliceDetail::Device;
            row.sourceOffset = ++address;
            rows.slice(row, rows.lane(device, 0), DeviceRow{});
            rows.noteTime(now);
        }
        growth.add(rows);
        const Ns mark = now - static_cast<Ns>(random() % 1'000);
        growth.settle([&](LaneKind) { return mark; });
        const auto next = growth.generation({}, nullptr, {}, [](const ImportReport &report) { return report; });
        EXPECT_TRUE(next);
        trace = *next;
    }
    return trace;
}

TEST(GrownScan, NarrowScansFindWhatFullScansFind)
{
    for (const uint32_t seed : {1u, 2u}) {
        const auto trace = grownLaunches(seed);
        ASSERT_GT(trace->launches.runs().size(), 1u);
        ASSERT_GT(trace->segments.size(), 5u);
        QueryEngine engine(SetFacts(TraceSet::of({trace})));
        std::mt19937 random(seed);
        uint64_t found = 0;
        const auto end = static_cast<uint32_t>(2 * trace->sliceCount());
        for (const char *table : {"launches", "kernels", "slices"})
            for (int at = 0; at < 40; ++at) {
                const uint32_t first = random() % end, last = at % 2 ? first : first + random() % 3'000;
                // With "+", SQLite checks every row itself.
                const auto ask = [&](const char *column) {
                    return engine.run(fmt::format("select * from {} where {} between {} and {} order by id, ts", table,
                                                  column, first, last),
                                      {}, {});
                };
                const auto narrow = ask("id"), full = ask("+id");
                ASSERT_TRUE(narrow && full);
                EXPECT_EQ(test::rowsOf(*narrow), test::rowsOf(*full)) << table << " " << first << " " << last;
                found += narrow->rows();
            }
        EXPECT_GT(found, 1'000u);
    }
}

} // namespace
} // namespace riffle
