// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Filters by the kind of work, against sums over the slices of the trace.
#include "model/analysis/summary/summary.h"

#include "tests/support/byte_sink.h"
#include "tests/support/import_text.h"
#include "tests/support/trace_generator.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace riffle::test {
namespace {

std::shared_ptr<const Trace> generated()
{
    std::string text;
    ByteSink sink(ByteSink::toString(text));
    TraceOptions options;
    options.steps = 3;
    options.layers = 2;
    generateTrace(options, sink);
    sink.flush();
    const auto trace = importText(text);
    return trace ? *trace : nullptr;
}

struct Sum {
    int64_t calls = 0, time = 0;
    bool operator==(const Sum &) const = default;
};

/// The rows of a table of device work by name.
std::map<std::string, Sum> rowsOf(const SetFacts &facts, const char *view, WorkClassSet classes)
{
    SummaryRequest request;
    request.view = view;
    request.scope.classes = classes;
    const auto table = summarize(facts, request, {});
    std::map<std::string, Sum> rows;
    EXPECT_TRUE(table);
    for (size_t row = 0; table && row < table->rows(); ++row)
        rows[table->column("name")->texts[row]] = {table->column("calls")->integers[row],
                                                   table->column("total_ns")->integers[row]};
    return rows;
}

/// The same by looking at each slice of the trace with one of the categories.
std::map<std::string, Sum> slowRows(const Trace &trace, const WorkClasses &classes, const std::set<std::string> &of,
                                    WorkClassSet wanted)
{
    std::map<std::string, Sum> rows;
    for (uint32_t at = 0; at < trace.sliceCount(); ++at) {
        const Slice slice = *trace.slice(SliceId(at));
        if (!of.contains(std::string(trace.string(slice.data.category))) ||
            !(wanted >> static_cast<int>(classes.slices[at]) & 1))
            continue;
        Sum &sum = rows[std::string(trace.string(slice.data.name))];
        ++sum.calls;
        sum.time += slice.data.duration;
    }
    return rows;
}

TEST(ClassFilter, TablesOfDeviceWorkAreSumsOverTheSlicesOfTheClasses)
{
    const auto trace = generated();
    ASSERT_TRUE(trace);
    const SetFacts facts(TraceSet::of({trace}));
    const WorkClasses &classes = *facts.of(TraceId(0)).workClasses();
    const WorkClassSet all = classes.present, communication = bitOf(WorkClass::Communication);
    for (size_t kind = 0; kind < kWorkClasses; ++kind) {
        const WorkClassSet wanted = bitOf(static_cast<WorkClass>(kind));
        EXPECT_EQ(rowsOf(facts, "kernels", wanted), slowRows(*trace, classes, {"kernel"}, wanted)) << kind;
        EXPECT_EQ(rowsOf(facts, "memcpy", wanted), slowRows(*trace, classes, {"gpu_memcpy", "gpu_memset"}, wanted));
    }
    const auto kernels = rowsOf(facts, "kernels", 0);
    EXPECT_EQ(rowsOf(facts, "kernels", all), kernels);
    EXPECT_FALSE(rowsOf(facts, "kernels", communication).empty());
    EXPECT_LT(rowsOf(facts, "kernels", communication).size(), kernels.size());
}

TEST(ClassFilter, OperatorsAreThoseOfTheirClass)
{
    const auto trace = generated();
    ASSERT_TRUE(trace);
    const SetFacts facts(TraceSet::of({trace}));
    const WorkClasses &classes = *facts.of(TraceId(0)).workClasses();
    for (const WorkClass kind : {WorkClass::Forward, WorkClass::Backward, WorkClass::Optimizer, WorkClass::OtherHost}) {
        const auto slow = slowRows(*trace, classes, {"cpu_op"}, bitOf(kind));
        for (const char *grouping : {"name", "name,shapes"}) {
            SummaryRequest request;
            request.view = "operators";
            request.groupBy = grouping;
            request.scope.classes = bitOf(kind);
            const auto table = summarize(facts, request, {});
            ASSERT_TRUE(table);
            std::map<std::string, int64_t> calls;
            for (size_t row = 0; row < table->rows(); ++row)
                calls[table->column("name")->texts[row]] += table->column("calls")->integers[row];
            ASSERT_EQ(calls.size(), slow.size()) << workClassTitle(kind) << " by " << grouping;
            for (const auto &[name, sum] : slow)
                EXPECT_EQ(calls[name], sum.calls) << name << " by " << grouping;
        }
    }
}

} // namespace
} // namespace riffle::test
