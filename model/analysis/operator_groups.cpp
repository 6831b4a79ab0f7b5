// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/operator_groups.h"

#include "model/analysis/facts/slice_reader.h"

#include <algorithm>
#include <unordered_map>

namespace riffle {

namespace {

struct Key {
    uint32_t name;
    uint64_t more;
    bool operator==(const Key &) const = default;
};
struct KeyHash {
    size_t operator()(const Key &key) const { return key.more * 0x9E3779B97F4A7C15ull ^ key.name; }
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

void readShapes(const Trace &trace, const Slice &slice, OperatorKey &key)
{
    const auto text = trace.source->read(slice.data.sourceOffset, slice.data.sourceLength);
    if (!text)
        return;
    for (const EventArgument &argument : argumentsOf(argsText(*text))) {
        if (argument.key == "Input Dims" || argument.key == "Input dims")
            key.shapes = argument.value;
        else if (argument.key == "Input type")
            key.types = argument.value;
    }
}

} // namespace

OperatorGrouping groupOperators(const Scope &scope, std::string_view groupBy)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    OperatorGrouping grouping;
    grouping.byShapes = groupBy == "name,shapes";
    grouping.groups.rowOfCall.assign(calls.size(), CallTree::kNone);
    std::vector<uint32_t> rowOfName(grouping.byShapes ? 0 : trace.strings.count(), CallTree::kNone);
    std::unordered_map<Key, uint32_t, KeyHash> rowOfKey;
    ShapeWalk shapes(trace.operators);
    SliceReader reader(trace);
    for (uint32_t call = 0; call < calls.size(); ++call) {
        if (!calls.isOperator[call] || !reader.seek(calls.slice[call]))
            continue;
        const uint32_t name = reader.name();
        if (!scope.hasHostLane(reader.lane()) || !scope.hasName(name))
            continue;
        const uint64_t more = grouping.byShapes ? shapes.at(calls.slice[call]) : 0;
        grouping.anyShapes |= more != 0;
        const auto next = static_cast<uint32_t>(grouping.keys.size());
        uint32_t row = next;
        if (!grouping.byShapes && name < rowOfName.size())
            row = rowOfName[name] == CallTree::kNone ? rowOfName[name] = next : rowOfName[name];
        else
            row = rowOfKey.try_emplace({name, more}, next).first->second;
        if (row == next)
            grouping.keys.push_back({name, more, call, {}, {}, {}});
        grouping.groups.rowOfCall[call] = row;
    }
    grouping.groups.rows = static_cast<uint32_t>(grouping.keys.size());
    return grouping;
}

void nameGroups(const Scope &scope, OperatorGrouping &grouping, const std::vector<uint32_t> &rows)
{
    const Trace &trace = scope.facts().trace();
    const CallTree &calls = scope.facts().calls();
    for (const uint32_t row : rows)
        grouping.keys[row].nameText = trace.string(grouping.keys[row].name);
    if (!grouping.byShapes || !trace.source)
        return;
    // In the order of the source, which may have to be inflated.
    std::vector<std::pair<uint64_t, uint32_t>> reads;
    for (const uint32_t row : rows)
        if (grouping.keys[row].more)
            if (const auto slice = trace.slice(SliceId(calls.slice[grouping.keys[row].example])))
                reads.emplace_back(slice->data.sourceOffset, row);
    std::sort(reads.begin(), reads.end());
    for (const auto &[offset, row] : reads)
        if (const auto slice = trace.slice(SliceId(calls.slice[grouping.keys[row].example])))
            readShapes(trace, *slice, grouping.keys[row]);
}

} // namespace riffle
