// SPDX-FileCopyrightText: The Riffle authors SPDX-License-Identifier: Apache-2.0 A part of a trace that was read alone
// gives the same answers as the whole trace about this part.
#include "model/analysis/summary/summary.h"
#include "model/ingest/importer.h"
#include "tests/support/archives.h"
#include "tests/support/trace_generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace riffle {
namespace {

using namespace test;

std::string cell(const ResultColumn &column, size_t row)
{
    if (column.absent(row))
        return "-";
    return column.kind == CellKind::Text ? column.texts[row]
           : column.isInteger()          ? std::to_string(column.integers[row])
                                         : std::to_string(column.numbers[row]);
}

std::string line(const ResultTable &table, size_t row)
{
    std::string text;
    for (const ResultColumn &column : table.columns)
        text += column.key + "=" + cell(column, row) + " ";
    return text;
}

/// The rows as lines. Rows with equal sort keys may be in any order, except in a tree.
std::vector<std::string> linesOf(const ResultTable &table)
{
    std::vector<std::string> lines;
    for (size_t row = 0; row < table.rows(); ++row)
        if (table.view != "overview" || table.column("name")->texts[row] != "span") // the span of the part is its own
            lines.push_back(line(table, row));
    if (table.depth.empty())
        std::sort(lines.begin(), lines.end());
    return lines;
}

/// Empty if the tables have the same cells; otherwise the place where they differ.
std::string difference(const ResultTable &part, const ResultTable &whole)
{
    if (part.rows() != whole.rows())
        return std::to_string(part.rows()) + " rows, " + std::to_string(whole.rows()) + " of the whole";
    const std::vector<std::string> lines = linesOf(part), wholes = linesOf(whole);
    const auto [one, other] = std::ranges::mismatch(lines, wholes);
    return one == lines.end() ? "" : "\n  part  " + *one + "\n  whole " + *other;
}

SetFacts factsOf(const std::shared_ptr<const Trace> &trace) { return SetFacts(TraceSet::of({trace})); }

/// The views in which the part and the whole differ.
std::vector<std::string> differences(const std::string &path, const ImportOptions &options)
{
    const auto whole = importTrace(path, {}, {});
    const auto part = importTrace(path, options, {});
    if (!whole || !part)
        return {!whole ? whole.error().text() : part.error().text()};
    SummaryRequest request;
    request.scope.steps = options.steps;
    if (options.range)
        request.scope.range = TimeSpan{(*whole)->info.recorded.begin + options.range->begin,
                                       (*whole)->info.recorded.begin + options.range->end};
    const SetFacts factsOfPart = factsOf(*part), factsOfWhole = factsOf(*whole);
    std::vector<std::string> found;
    for (const SummaryView &view : summaryViews()) {
        request.view = view.word;
        SummaryRequest unlimited;
        unlimited.view = view.word;
        const auto one = summarize(factsOfPart, unlimited, {}), other = summarize(factsOfWhole, request, {});
        if (!one || !other)
            found.push_back(view.word + std::string(": no answer"));
        else if (const std::string text = difference(*one, *other); !text.empty())
            found.push_back(view.word + (": " + text));
    }
    return found;
}

/// True if the text depends on the rule for stages. The contents of a trace determine this rule, and a range may
/// contain less.
bool dependsOnRule(const std::string &text) { return text.starts_with("model:") || text.starts_with("event-types:"); }

TEST(Parts, OfAGeneratedTraceAnswerAsTheWhole)
{
    TraceOptions options;
    options.steps = 3;
    options.layers = 2;
    std::string text;
    ByteSink sink(ByteSink::toString(text));
    generateTrace(options, sink);
    sink.flush();
    const TemporaryFolder folder;
    writeFile(folder.file("trace.json"), text);
    const auto whole = importTrace(folder.file("trace.json"), {}, {});
    ASSERT_TRUE(whole);
    const Ns length = (*whole)->info.recorded.duration();
    std::vector<ImportOptions> asked;
    for (const Step &step : (*whole)->steps)
        asked.emplace_back().steps = TimeSpan{step.number, step.number};
    ASSERT_EQ(asked.size(), 3u);
    for (const Ns part : {2, 5, 11})
        asked.emplace_back().range = TimeSpan{length / 13 * part, length / 13 * (part + 1)};
    for (const ImportOptions &one : asked)
        EXPECT_THAT(differences(folder.file("trace.json"), one), testing::IsEmpty())
            << (one.steps ? one.steps->begin : one.range->begin);
}

TEST(PartsSlow, OfRealTracesAnswerAsTheWhole)
{
    const char *variable = std::getenv("RIFFLE_TRACES");
    const std::filesystem::path folder = std::filesystem::path(variable ? variable : "../shared/traces") / "kineto";
    if (!std::filesystem::is_directory(folder))
        GTEST_SKIP() << "NO REAL TRACES: set RIFFLE_TRACES. Nothing was compared.";
    size_t parts = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
        const std::string path = entry.path().string();
        const auto whole = importTrace(path, {}, {});
        if (!whole)
            continue;
        const Ns length = (*whole)->info.recorded.duration();
        std::vector<ImportOptions> asked(1);
        asked[0].range = TimeSpan{length / 3, length / 2};
        if (!(*whole)->steps.empty()) {
            const int64_t number = (*whole)->steps[(*whole)->steps.size() / 2].number;
            asked.emplace_back().steps = TimeSpan{number, number};
        }
        for (const ImportOptions &options : asked) {
            ++parts;
            for (const std::string &text : differences(path, options)) {
                if (options.range && dependsOnRule(text))
                    continue;
                ADD_FAILURE() << entry.path().filename().string() << (options.steps ? " by steps, " : " by range, ")
                              << text;
            }
        }
    }
    EXPECT_GT(parts, 0u);
}

} // namespace
} // namespace riffle
