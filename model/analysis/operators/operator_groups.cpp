// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operators/operator_groups.h"

#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/base/big_vector.h"
#include "model/base/filled_vector.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"
#include "model/trace/details.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <mutex>

namespace riffle {

namespace {

/// The values that distinguish rows: the name, unless the rows are modules, and one more value.
struct RowKey {
    uint32_t name;
    uint64_t more;
    bool operator==(const RowKey &) const = default;
};
struct RowKeyHash {
    size_t operator()(const RowKey &key) const { return mixed(key.more + mixed(key.name)); }
};

/// Brings JSON, which some writers spread over several lines, into the form that the others use: one line with a space
/// after each comma and no other blanks.
std::string onOneLine(std::string_view json)
{
    std::string line;
    bool quoted = false;
    for (size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (quoted && c == '\\' && at + 1 < json.size()) {
            line += c;
            line += json[++at];
            continue;
        }
        quoted ^= c == '"';
        if (quoted || !std::isspace(static_cast<unsigned char>(c)))
            line += c;
        if (!quoted && c == ',')
            line += ' ';
    }
    return line;
}

void readShapes(const Trace &trace, const Slice &slice, OperatorTexts &texts)
{
    const auto arguments = trace.source->arguments({slice.data.sourceOffset, slice.data.sourceLength});
    if (!arguments)
        return;
    texts.shapes = onOneLine(argumentJson(*arguments, kShapeKeys));
    texts.types = onOneLine(argumentJson(*arguments, {"Input type"}));
}

/// Fills in what a row takes from its first operator; returns what distinguishes the row from others.
RowKey rowKey(OperatorsBy by, const FrameChains *chains, OperatorKey &key)
{
    switch (by) {
    case OperatorsBy::Name: return {key.name, 0};
    case OperatorsBy::Shapes: return {key.name, key.shapes};
    case OperatorsBy::Stack:
        key.stack = chains->stackOf(key.example);
        key.origin = chains->originOf(key.example);
        return {key.name, static_cast<uint64_t>(key.stack) << 2 | static_cast<uint64_t>(key.origin)};
    case OperatorsBy::Module: key.module = chains->moduleOf(key.example); return {0, key.module};
    }
    return {};
}

/// The maximum number of frames per row, so that very many or very deep stacks take about a hundred megabytes of text
/// at most.
size_t mostFrames(const Trace &trace, const FrameChains &chains, const OperatorGrouping &grouping,
                  const std::vector<uint32_t> &rows)
{
    constexpr size_t kMostText = 100 << 20, kFewest = 8;
    size_t bytes = 0, deepest = 0;
    for (const uint32_t row : rows) {
        size_t depth = 0;
        for (uint32_t frame = grouping.keys[row].stack; frame < chains.frames.size();
             frame = chains.frames[frame].parent, ++depth)
            bytes += chains.nameOf(trace, chains.frames[frame].name).size() + 1;
        deepest = std::max(deepest, depth);
    }
    return bytes <= kMostText ? deepest : std::max(kFewest, deepest * kMostText / bytes);
}

/// Assigns operators to rows, which are numbered in order of their first occurrence.
class Grouper {
public:
    Grouper(const Scope &scope, OperatorGrouping &grouping)
        : m_scope(scope)
        , m_trace(scope.facts().trace())
        , m_calls(scope.facts().calls())
        , m_grouping(grouping)
        , m_rowOfCall(grouping.groups.rowOfCall)
        , m_reader(m_trace)
    {
        if (grouping.by == OperatorsBy::Stack || grouping.by == OperatorsBy::Module)
            m_chains = &scope.facts().chains();
        if (grouping.by == OperatorsBy::Name)
            m_rowOfName.assign(m_trace.strings.count(), CallTree::kNone);
    }

    void add(const SliceRun &run)
    {
        m_calls.forEachCall(*run.segment, run.begin, run.end, [&](uint32_t call, uint32_t) { add(call); });
    }

    /// Adds a call. Calls are added in ascending order, except for a few at the end.
    void add(uint32_t call)
    {
        if (!m_calls.isOperator[call] || m_rowOfCall[call] != CallTree::kNone || !m_reader.seek(m_calls.slice[call]))
            return;
        OperatorKey key;
        key.name = m_reader.name();
        key.example = call;
        if (!m_scope.hasHostLane(m_reader.lane()) || !m_scope.hasSlice(m_calls.slice[call], key.name))
            return;
        if (m_grouping.by == OperatorsBy::Shapes)
            if (const auto detail = m_walk.at(m_reader.segment(), SliceId(m_calls.slice[call])))
                key.shapes = detail[&OperatorTable::inputDims];
        m_grouping.anyShapes |= key.shapes != 0;
        const auto next = static_cast<uint32_t>(m_grouping.keys.size());
        uint32_t row = next;
        if (!m_rowOfName.empty())
            row = m_rowOfName[key.name] == CallTree::kNone ? m_rowOfName[key.name] = next : m_rowOfName[key.name];
        else
            row = m_numbers.of(rowKey(m_grouping.by, m_chains, key)).first;
        if (row == next)
            m_grouping.keys.push_back(key);
        m_rowOfCall[call] = row;
    }

    /// Adds all runs on several threads; only for grouping by name.
    void addNames(const std::vector<SliceRun> &runs)
    {
        const auto forEachCall = [&](const SliceRun &run, auto visit) {
            m_calls.forEachCall(*run.segment, run.begin, run.end, [&](uint32_t call, uint32_t at) {
                if (m_calls.isOperator[call] && m_scope.hasClass(*run.segment, at))
                    visit(call, run.segment->slices.name[at]);
            });
        };
        std::vector<uint32_t> first(m_trace.strings.count(), CallTree::kNone); // the first call of each name
        std::atomic<size_t> next = 0;
        std::mutex mutex;
        parallelFor(workerCount(), [&](size_t) {
            std::vector<uint32_t> mine(first.size(), CallTree::kNone);
            for (size_t at = next++; at < runs.size(); at = next++) {
                throwIfStopped();
                forEachCall(runs[at], [&](uint32_t call, uint32_t name) { mine[name] = std::min(mine[name], call); });
            }
            const std::scoped_lock lock(mutex);
            for (size_t name = 0; name < first.size(); ++name)
                first[name] = std::min(first[name], mine[name]);
        });
        for (uint32_t name = 0; name < first.size(); ++name)
            if (first[name] != CallTree::kNone && m_scope.hasName(name))
                m_grouping.keys.emplace_back().example = first[name];
        std::sort(m_grouping.keys.begin(), m_grouping.keys.end(),
                  [](const OperatorKey &a, const OperatorKey &b) { return a.example < b.example; });
        for (uint32_t row = 0; row < m_grouping.keys.size(); ++row) {
            OperatorKey &key = m_grouping.keys[row];
            m_reader.seek(m_calls.slice[key.example]);
            key.name = m_reader.name();
            m_rowOfName[key.name] = row;
        }
        parallelFor(runs.size(), [&](size_t at) {
            forEachCall(runs[at], [&](uint32_t call, uint32_t name) { m_rowOfCall[call] = m_rowOfName[name]; });
        });
    }

private:
    const Scope &m_scope;
    const Trace &m_trace;
    const CallTree &m_calls;
    OperatorGrouping &m_grouping;
    BigVector<uint32_t> &m_rowOfCall;
    const FrameChains *m_chains = nullptr;
    Numbering<RowKey, RowKeyHash> m_numbers;
    std::vector<uint32_t> m_rowOfName; ///< empty unless grouped by name
    DetailWalk<OperatorTable> m_walk{&Segment::operators};
    SliceReader m_reader;
};

} // namespace

OperatorsBy operatorsBy(std::string_view word)
{
    return word == "name,shapes"  ? OperatorsBy::Shapes
           : word == "name,stack" ? OperatorsBy::Stack
           : word == "module"     ? OperatorsBy::Module
                                  : OperatorsBy::Name;
}

OperatorGrouping groupOperators(const Scope &scope, OperatorsBy by)
{
    OperatorGrouping grouping;
    grouping.by = by;
    grouping.groups.rowOfCall = filledVector(scope.facts().calls().size(), CallTree::kNone);
    Grouper grouper(scope, grouping);
    const std::vector<SliceRun> runs = scope.hostRuns(kRunSlices);
    if (by == OperatorsBy::Name)
        grouper.addNames(runs);
    else
        for (const SliceRun &run : runs)
            grouper.add(run);
    // The calls around a crossing call may end before the range starts, so that no run contains them.
    const CallTree &calls = scope.facts().calls();
    for (const uint32_t call : calls.crossing)
        for (uint32_t around = calls.operatorAround(call); around != CallTree::kNone;
             around = calls.operatorAround(around))
            grouper.add(around);
    grouping.groups.rows = static_cast<uint32_t>(grouping.keys.size());
    return grouping;
}

void nameGroups(const Scope &scope, OperatorGrouping &grouping, const std::vector<uint32_t> &rows)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    grouping.texts.resize(grouping.keys.size());
    for (const uint32_t row : rows)
        grouping.texts[row].name = trace.string(grouping.keys[row].name);
    if (grouping.by == OperatorsBy::Stack || grouping.by == OperatorsBy::Module) {
        const FrameChains &chains = scope.facts().chains();
        const size_t most = mostFrames(trace, chains, grouping, rows);
        for (const uint32_t row : rows) {
            grouping.texts[row].stack = chains.stackText(trace, grouping.keys[row].stack, most);
            grouping.texts[row].module = chains.modulePath(trace, grouping.keys[row].module);
        }
    }
    if (grouping.by != OperatorsBy::Shapes || !trace.source)
        return;
    // Read in source order, because the source may be compressed.
    std::vector<std::pair<uint64_t, uint32_t>> reads;
    for (const uint32_t row : rows)
        if (grouping.keys[row].shapes)
            if (const auto slice = trace.slice(SliceId(calls.slice[grouping.keys[row].example])))
                reads.emplace_back(slice->data.sourceOffset, row);
    std::sort(reads.begin(), reads.end());
    for (const auto &[offset, row] : reads)
        if (const auto slice = trace.slice(SliceId(calls.slice[grouping.keys[row].example])))
            readShapes(trace, *slice, grouping.texts[row]);
}

} // namespace riffle
