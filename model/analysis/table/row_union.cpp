// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/table/row_union.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <unordered_map>

namespace riffle {

namespace {

constexpr uint32_t kNone = RowUnion::kNoRow;

/// The cell of a column as a text that differs between different cells. Null stands for a column that a table lacks.
std::string_view cellKey(const ResultColumn *column, uint32_t row, std::string &buffer)
{
    if (!column || column->absent(row))
        return {};
    if (column->kind == CellKind::Text)
        return column->texts[row];
    buffer = column->isInteger() ? std::to_string(column->integers[row]) : std::to_string(column->numbers[row]);
    return buffer;
}

class Union {
public:
    Union(std::span<const LabelledTable> tables, std::span<const std::string_view> keys) : m_tables(tables)
    {
        for (const LabelledTable &one : tables) {
            std::vector<const ResultColumn *> &columns = m_keys.emplace_back();
            for (const std::string_view key : keys)
                columns.push_back(one.table.column(key));
        }
        for (uint32_t table = 0; table < tables.size(); ++table)
            add(table);
    }

    struct Node {
        RowUnion::Place first;
        uint32_t depth = 0;
        uint32_t lastTable = kNone, times = 0; ///< of the first row with a key: how often the last table has had it
        std::vector<uint32_t> children;
    };
    std::vector<Node> nodes;
    std::vector<uint32_t> tops;
    std::vector<uint32_t> rows; ///< by node, then by table

private:
    struct Key {
        RowUnion::Place place;
        uint32_t parent, occurrence;
    };
    struct Hash {
        const Union *of;
        size_t operator()(const Key &key) const { return of->hashOf(key); }
    };
    struct Same {
        const Union *of;
        bool operator()(const Key &a, const Key &b) const { return of->areSame(a, b); }
    };

    size_t hashOf(const Key &key) const
    {
        size_t hash = key.parent * 0x9e3779b97f4a7c15ull + key.occurrence;
        std::string buffer;
        for (const ResultColumn *column : m_keys[key.place.table])
            hash = hash * 0x9e3779b97f4a7c15ull + std::hash<std::string_view>()(cellKey(column, key.place.row, buffer));
        return hash;
    }
    bool areSame(const Key &a, const Key &b) const
    {
        if (a.parent != b.parent || a.occurrence != b.occurrence)
            return false;
        std::string left, right;
        for (size_t at = 0; at < m_keys[a.place.table].size(); ++at)
            if (cellKey(m_keys[a.place.table][at], a.place.row, left) !=
                cellKey(m_keys[b.place.table][at], b.place.row, right))
                return false;
        return true;
    }

    uint32_t nodeOf(const Key &key, uint32_t depth)
    {
        const auto [found, isNew] = m_nodeOf.try_emplace(key, static_cast<uint32_t>(nodes.size()));
        if (isNew) {
            nodes.push_back({.first = key.place, .depth = depth, .children = {}});
            rows.insert(rows.end(), m_tables.size(), kNone);
            (key.parent == kNone ? tops : nodes[key.parent].children).push_back(found->second);
        }
        return found->second;
    }

    void add(uint32_t number)
    {
        const ResultTable &table = m_tables[number].table;
        std::vector<uint32_t> path;
        for (uint32_t row = 0; row < table.rows(); ++row) {
            const uint32_t depth = table.depth.empty() ? 0 : table.depth[row];
            path.resize(std::min<size_t>(path.size(), depth));
            const uint32_t parent = path.empty() ? kNone : path.back();
            uint32_t node = nodeOf({{number, row}, parent, 0}, depth);
            Node &first = nodes[node];
            const uint32_t occurrence = first.lastTable == number ? first.times : 0;
            first.lastTable = number;
            first.times = occurrence + 1;
            if (occurrence > 0)
                node = nodeOf({{number, row}, parent, occurrence}, depth);
            rows[size_t{node} * m_tables.size() + number] = row;
            path.push_back(node);
        }
    }

    std::span<const LabelledTable> m_tables;
    std::vector<std::vector<const ResultColumn *>> m_keys; ///< per table
    std::unordered_map<Key, uint32_t, Hash, Same> m_nodeOf{0, Hash{this}, Same{this}};
};

} // namespace

RowUnion::RowUnion(std::span<const LabelledTable> tables, std::span<const std::string_view> keys)
    : m_tables(tables.size())
{
    Union all(tables, keys);
    const bool isTree =
        std::any_of(tables.begin(), tables.end(), [](const LabelledTable &one) { return !one.table.depth.empty(); });
    m_first.reserve(all.nodes.size());
    m_rows.reserve(all.rows.size());
    std::vector<uint32_t> waiting(all.tops.rbegin(), all.tops.rend());
    while (!waiting.empty()) {
        const Union::Node &node = all.nodes[waiting.back()];
        const auto rows = all.rows.begin() + static_cast<ptrdiff_t>(waiting.back() * m_tables);
        waiting.pop_back();
        m_first.push_back(node.first);
        m_rows.insert(m_rows.end(), rows, rows + static_cast<ptrdiff_t>(m_tables));
        if (isTree)
            m_depth.push_back(node.depth);
        waiting.insert(waiting.end(), node.children.rbegin(), node.children.rend());
    }
    assert(m_first.size() == all.nodes.size());
}

} // namespace riffle
