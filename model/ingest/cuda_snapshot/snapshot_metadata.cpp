// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Reads the fields of entries that programs fill with values of their own.
#include "model/base/quoted_text.h"
#include "model/ingest/cuda_snapshot/snapshot_shapes.h"

#include <cstdio>

namespace riffle {

namespace {

constexpr size_t kLongestMetadata = 1000; ///< bytes of JSON; the rest of a larger container is left out
constexpr int kMetadataDepth = 4;

} // namespace

std::optional<uint32_t> poolIdOf(const PickleMachine &machine, SnapshotRows &rows, const PickleValue &value)
{
    if (value.kind == ValueKind::Pair)
        return value.id();
    if (value.kind != ValueKind::List || machine.itemsOf(value) != 2)
        return std::nullopt;
    std::vector<int64_t> numbers;
    machine.forItems(value, [&](const PickleValue &item) {
        if (item.kind == ValueKind::Int)
            numbers.push_back(item.integer);
    });
    return numbers.size() == 2 ? std::optional(rows.pool(numbers[0], numbers[1])) : std::nullopt;
}

/// Appends a value as compact JSON, which is how PyTorch writes metadata that is not a text.
void SnapshotShapes::appendJson(const PickleMachine &machine, const PickleValue &value, int depth,
                                std::string &out) const
{
    switch (value.kind) {
    case ValueKind::Text: out += jsonString(m_rows.textOf(value.id())); return;
    case ValueKind::True: out += "true"; return;
    case ValueKind::False: out += "false"; return;
    case ValueKind::Int: out += std::to_string(value.integer); return;
    case ValueKind::UInt: out += std::to_string(value.bits); return;
    case ValueKind::Float: {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.17g", value.number);
        out += digits;
        return;
    }
    case ValueKind::Pair: {
        const auto [first, second] = m_rows.poolOf(value.id());
        out.append("[").append(std::to_string(first)).append(",").append(std::to_string(second)).append("]");
        return;
    }
    case ValueKind::EmptyDict: out += "{}"; return;
    case ValueKind::EmptyList: out += "[]"; return;
    case ValueKind::Dict:
    case ValueKind::List: break;
    default: out += "null"; return;
    }
    const bool isDict = value.kind == ValueKind::Dict;
    out += isDict ? '{' : '[';
    bool isKey = true;
    size_t items = 0;
    // Containers may be shared, so the text that is left bounds the walk, not the number of items.
    bool isCut = false;
    machine.forItemsWhile(value, [&](const PickleValue &item) {
        out += items == 0 ? "" : isDict && !isKey ? ":" : ",";
        ++items;
        isKey = !isKey;
        isCut = depth == 0 || out.size() > kLongestMetadata;
        if (isCut)
            out += "…";
        else
            appendJson(machine, item, depth - 1, out);
        return !isCut;
    });
    out += isDict ? '}' : ']';
}

/// Returns the id of the text of user_metadata, which is a text or any other value.
uint32_t SnapshotShapes::metadataId(const PickleMachine &machine, const PickleValue &value)
{
    if (value.kind != ValueKind::Dict && value.kind != ValueKind::List)
        return value.kind == ValueKind::EmptyDict || value.kind == ValueKind::EmptyList ? 0 : textId(value);
    const auto [known, isNew] = m_metadata.try_emplace(value.id(), 0);
    if (isNew) {
        std::string text;
        appendJson(machine, value, kMetadataDepth, text);
        known->second = m_rows.text(text);
    }
    return known->second;
}

} // namespace riffle
