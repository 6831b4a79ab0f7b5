// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/slice/slice_details.h"
#include "model/ingest/collector_log/kineto_export.h"
#include "model/ingest/importer.h"
#include "model/trace/json_entries.h"
#include "tests/support/import_text.h"
#include "tests/support/log_writer.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

using namespace test;
using wire::ChunkType;
using wire::Field;

/// A forward pass on thread 100: aten::linear with a stack, aten::addmm inside; its backward pass on thread 101,
/// without stacks: a node, the function inside, and aten::mm inside that.
LogFileText trainingLog(bool withModule)
{
    LogFileText log;
    log.thread(0, 100, "main").thread(1, 101, "autograd");
    const int64_t op = log.id("cpu_op"), python = log.id("python_function"), main = log.id("main"),
                  train = log.id("/home/me/train.py"), forward = log.id("Net.forward"), net = log.id("/home/me/net.py");
    const std::vector<int64_t> names =
        log.ids({"aten::addmm", "aten::linear", "aten::mm", "AddmmBackward0",
                 "autograd::engine::evaluate_function: AddmmBackward0", "nn.Module: Net_0", "aten::relu"});
    log.add(LogChunkText(ChunkType::PythonFrames)
                .delta(Field::Id, {1, 2, 3})
                .delta(Field::Parent, {0, 1, 1})
                .delta(Field::Name, {main, forward, forward})
                .delta(Field::File, {train, net, net})
                .delta(Field::FirstLine, {5, 20, 20})
                .delta(Field::Line, {9, 21, 22}));
    std::vector<std::vector<int64_t>> rows{
        // thread, start, duration, name, category, sequence, stack
        {0, 1'100, 100, names[0], op, 7, 0},
        {0, 1'000, 500, names[1], op, 7, 2},
        {0, 1'600, 100, names[6], op, wire::kAbsent, 3},
        {1, 5'200, 100, names[2], op, wire::kAbsent, 0},
        {1, 5'100, 300, names[3], op, 7, 0},
        {1, 5'000, 500, names[4], op, 7, 0},
    };
    if (withModule)
        rows.insert(rows.begin() + 3, {0, 900, 900, names[5], python, wire::kAbsent, 0});
    const auto column = [&](size_t at) {
        std::vector<int64_t> values;
        for (const auto &row : rows)
            values.push_back(row[at]);
        return values;
    };
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Thread, column(0))
                .delta(Field::Start, column(1))
                .plain(Field::Duration, column(2))
                .delta(Field::Name, column(3))
                .delta(Field::Category, column(4))
                .delta(Field::Sequence, column(5))
                .plain(Field::Stack, column(6))
                .times(900, 5'500));
    return log.end();
}

constexpr const char *kStack = "/home/me/net.py(21): Net.forward;/home/me/train.py(9): main";

class Operators {
public:
    explicit Operators(std::shared_ptr<const Trace> trace) : facts(trace) {}
    uint32_t call(std::string_view name) const
    {
        for (uint32_t call = 0; call < facts.calls().size(); ++call)
            if (facts.trace().string(facts.trace().slice(SliceId(facts.calls().slice[call]))->data.name) == name)
                return call;
        return CallTree::kNone;
    }
    std::string stack(std::string_view name) const
    {
        return facts.chains().stackText(facts.trace(), facts.chains().stackOf(call(name)));
    }
    SliceDetails details(std::string_view name) const
    {
        return *detailsOf(facts.trace(), SliceId(facts.calls().slice[call(name)]), {});
    }
    TraceFacts facts;
};

std::shared_ptr<const Trace> importedTrace(const LogFileText &log)
{
    const LogFolder folder;
    const auto trace = importTrace(folder.write("000001.part", log.bytes()), {}, {});
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? *trace : nullptr;
}

std::shared_ptr<const Trace> exportedTrace(const LogFileText &log)
{
    const LogFolder folder;
    std::string text;
    const auto written = exportKinetoJson(folder.write("000001.part", log.bytes()),
                                          [&](std::string_view piece) -> Result<void> {
                                              text += piece;
                                              return {};
                                          },
                                          {});
    EXPECT_TRUE(written) << (written ? "" : written.error().text());
    const auto trace = importText(text);
    EXPECT_TRUE(trace) << (trace ? "" : trace.error().text());
    return trace ? *trace : nullptr;
}

class PythonStacks : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(LogAndExport, PythonStacks, testing::Bool());

TEST_P(PythonStacks, OfAnOutermostOperatorAreThoseOfAllInside)
{
    const Operators operators(GetParam() ? exportedTrace(trainingLog(false)) : importedTrace(trainingLog(false)));
    EXPECT_EQ(operators.stack("aten::linear"), kStack);
    EXPECT_EQ(operators.stack("aten::addmm"), kStack);
    EXPECT_EQ(operators.stack("aten::relu"), "/home/me/net.py(22): Net.forward;/home/me/train.py(9): main");
    const SliceDetails details = operators.details("aten::addmm");
    ASSERT_EQ(details.stack.size(), 2u);
    EXPECT_EQ(details.stack[0].file, "/home/me/net.py");
    EXPECT_EQ(details.stack[0].line, 21);
    EXPECT_EQ(details.stack[0].kind, FrameClass::User);
}

TEST_P(PythonStacks, OfTheBackwardPassAreThoseOfTheForwardOperator)
{
    const Operators operators(GetParam() ? exportedTrace(trainingLog(false)) : importedTrace(trainingLog(false)));
    const uint32_t node = operators.call("autograd::engine::evaluate_function: AddmmBackward0");
    EXPECT_EQ(operators.facts.chains().originOf(node), StackOrigin::Forward);
    for (const char *name : {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0", "aten::mm"}) {
        EXPECT_EQ(operators.stack(name), kStack) << name;
        const SliceDetails details = operators.details(name);
        EXPECT_TRUE(details.forwardStack) << name;
        EXPECT_EQ(details.stack.size(), 2u) << name;
    }
    EXPECT_FALSE(operators.details("aten::linear").forwardStack);
}

TEST_P(PythonStacks, GoTogetherWithModules)
{
    const Operators operators(GetParam() ? exportedTrace(trainingLog(true)) : importedTrace(trainingLog(true)));
    const auto &chains = operators.facts.chains();
    EXPECT_EQ(operators.stack("aten::linear"), kStack);
    for (const char *name : {"aten::linear", "aten::addmm", "aten::relu", "AddmmBackward0"})
        EXPECT_EQ(chains.modulePath(operators.facts.trace(), chains.moduleOf(operators.call(name))), "Net_0") << name;
    EXPECT_NE(operators.stack("aten::relu"), kStack); // another line of the same module
    EXPECT_EQ(operators.details("aten::relu").stack.size(), 2u);
}

TEST(PythonStacksInDamagedLogs, NeverContainThemselves)
{
    LogFileText log;
    const int64_t name = log.id("f"), op = log.id("cpu_op"), file = log.id("f.py");
    log.add(LogChunkText(ChunkType::PythonFrames)
                .delta(Field::Id, {1, 2, 3, 1, -4, 5})
                .delta(Field::Parent, {2, 2, 1, 3, 1, 99})
                .delta(Field::Name, {name, name, 77, name, name, 0})
                .delta(Field::File, {file, file, file, file, file, 0})
                .delta(Field::Line, {1, 2, 3, 4, 5, 6}));
    log.add(LogChunkText(ChunkType::Ranges)
                .delta(Field::Thread, {0, 0, 0, 0, 0})
                .delta(Field::Start, {100, 200, 300, 400, 500})
                .plain(Field::Duration, {1, 1, 1, 1, 1})
                .delta(Field::Name, {name, name, name, name, name})
                .delta(Field::Category, {op, op, op, op, op})
                .plain(Field::Stack, {1, 3, 4, -4, 5}));
    const auto trace = importedTrace(log);
    ASSERT_TRUE(trace);
    std::vector<std::string> stacks;
    for (uint32_t id = 0; id < trace->sliceCount(); ++id) {
        const Slice slice = *trace->slice(SliceId(id));
        const auto text = trace->source->read(slice.data.sourceOffset, slice.data.sourceLength);
        ASSERT_TRUE(text);
        stacks.emplace_back();
        for (const JsonEntry &argument : entriesOf(argsText(*text)))
            if (argument.key == "Call stack")
                stacks.back() = plainText(argument.value);
    }
    EXPECT_EQ(stacks, (std::vector<std::string>{"f.py(1): f", "f.py(3): ;f.py(1): f", "", "", "(6 outer frames)"}));
}

} // namespace
} // namespace riffle
