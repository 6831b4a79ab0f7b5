// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operator_groups.h"

#include "model/analysis/facts/numbering.h"
#include "model/analysis/facts/slice_reader.h"

#include <algorithm>
#include <cctype>

namespace riffle {

namespace {

/// What tells rows apart: the name, unless they are modules, and one thing more.
struct RowKey {
    uint32_t name;
    uint64_t more;
    bool operator==(const RowKey &) const = default;
};
struct RowKeyHash {
    size_t operator()(const RowKey &key) const { return mixed(key.more + mixed(key.name)); }
};

/// Shape hashes by ascending slices.
class ShapeWalk {
public:
    explicit ShapeWalk(const OperatorTable &operators) : m_operators(operators) {}
    uint64_t at(uint32_t slice)
    {
        while (m_at < m_operators.slice.size() && m_operators.slice[m_at] < slice)
            ++m_at;
        return m_at < m_operators.slice.size() && m_operators.slice[m_at] == slice ? m_operators.inputDims[m_at] : 0;
    }

private:
    const OperatorTable &m_operators;
    size_t m_at = 0;
};

/// JSON as some writers spread it over lines, in the form of the others: one blank after each comma and no more.
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
    const auto text = trace.source->read(slice.data.sourceOffset, slice.data.sourceLength);
    if (!text)
        return;
    for (const EventArgument &argument : argumentsOf(argsText(*text))) {
        if (argument.key == "Input Dims" || argument.key == "Input dims")
            texts.shapes = onOneLine(argument.value);
        else if (argument.key == "Input type")
            texts.types = onOneLine(argument.value);
    }
}

/// Fills what a row has from the first operator of it; returns what tells the row from others.
RowKey rowKey(OperatorsBy by, const FrameChains *chains, OperatorKey &key)
{
    switch (by) {
    case OperatorsBy::Name: return {key.name, 0};
    case OperatorsBy::Shapes: return {key.name, key.shapes};
    case OperatorsBy::Stack:
        key.stack = chains->stackOf(key.example);
        key.origin = chains->originOf(key.example);
        return {key.name, static_cast<uint64_t>(key.stack) << 2 | static_cast<uint64_t>(key.origin)};
    case OperatorsBy::Module:
        key.module = chains->moduleOf(key.example);
        return {0, key.module};
    }
    return {};
}

/// Frames a row, so that stacks that are very many or very deep stay within a hundred megabytes of text.
size_t mostFrames(const Trace &trace, const FrameChains &chains, const OperatorGrouping &grouping, const std::vector<uint32_t> &rows)
{
    constexpr size_t kMostText = 100 << 20, kFewest = 8;
    size_t bytes = 0, deepest = 0;
    for (const uint32_t row : rows) {
        size_t depth = 0;
        for (uint32_t frame = grouping.keys[row].stack; frame < chains.frames.size(); frame = chains.frames[frame].parent, ++depth)
            bytes += chains.nameOf(trace, chains.frames[frame].name).size() + 1;
        deepest = std::max(deepest, depth);
    }
    return bytes <= kMostText ? deepest : std::max(kFewest, deepest * kMostText / bytes);
}

} // namespace

OperatorsBy operatorsBy(std::string_view word)
{
    return word == "name,shapes" ? OperatorsBy::Shapes : word == "name,stack" ? OperatorsBy::Stack : word == "module" ? OperatorsBy::Module : OperatorsBy::Name;
}

OperatorGrouping groupOperators(const Scope &scope, OperatorsBy by)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    const FrameChains *chains = by == OperatorsBy::Stack || by == OperatorsBy::Module ? &scope.facts().chains() : nullptr;
    OperatorGrouping grouping;
    grouping.by = by;
    grouping.groups.rowOfCall.assign(calls.size(), CallTree::kNone);
    Numbering<RowKey, RowKeyHash> numbers;
    std::vector<uint32_t> rowOfName(by == OperatorsBy::Name ? trace.strings.count() : 0, CallTree::kNone);
    ShapeWalk shapes(trace.operators);
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]))
            continue;
        OperatorKey key;
        key.name = reader.name();
        key.example = call;
        if (!scope.hasHostLane(reader.lane()) || !scope.hasName(key.name))
            continue;
        if (by == OperatorsBy::Shapes)
            key.shapes = shapes.at(calls.slice[call]);
        grouping.anyShapes |= key.shapes != 0;
        const auto next = static_cast<uint32_t>(grouping.keys.size());
        uint32_t row = next;
        if (key.name < rowOfName.size())
            row = rowOfName[key.name] == CallTree::kNone ? rowOfName[key.name] = next : rowOfName[key.name];
        else
            row = numbers.of(rowKey(by, chains, key)).first;
        if (row == next)
            grouping.keys.push_back(key);
        grouping.groups.rowOfCall[call] = row;
    }
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
    // In the order of the source, which may have to be inflated.
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
