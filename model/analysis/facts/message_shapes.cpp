// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/message_shapes.h"

#include "model/analysis/facts/message_size.h"
#include "model/analysis/facts/slice_reader.h"
#include "model/trace/source_text.h"

#include <algorithm>
#include <simdjson.h>
#include <vector>

namespace riffle {

namespace {

/// The number of elements of a tensor; of a list of tensors, their sum. Empty if anything is not a size.
std::optional<int64_t> elementsIn(const simdjson::dom::array &dimensions)
{
    int64_t product = 1, sum = 0;
    bool isList = false;
    for (const simdjson::dom::element each : dimensions) {
        int64_t size = 0;
        simdjson::dom::array tensor;
        if (each.get(tensor) == simdjson::SUCCESS) {
            const auto elements = elementsIn(tensor);
            if (!elements || __builtin_add_overflow(sum, *elements, &sum))
                return std::nullopt;
            isList = true;
        } else if (each.get(size) != simdjson::SUCCESS || size < 0 || __builtin_mul_overflow(product, size, &product)) {
            return std::nullopt;
        }
    }
    return isList ? sum : product;
}

} // namespace

std::optional<MessageShape> messageShape(std::string_view inputDims, std::string_view inputTypes)
{
    simdjson::dom::parser shapeParser, typeParser;
    simdjson::dom::array shapes, types;
    if (shapeParser.parse(simdjson::padded_string(inputDims)).get(shapes) != simdjson::SUCCESS ||
        typeParser.parse(simdjson::padded_string(inputTypes)).get(types) != simdjson::SUCCESS ||
        shapes.size() != types.size())
        return std::nullopt;
    MessageShape whole;
    size_t tensors = 0;
    for (size_t at = 0; at < shapes.size(); ++at) {
        std::string_view type;
        simdjson::dom::array shape;
        if (types.at(at).get(type) != simdjson::SUCCESS || shapes.at(at).get(shape) != simdjson::SUCCESS)
            return std::nullopt;
        if (type.empty() || type == "Scalar" || type == "ScalarList")
            continue; // no tensor
        const auto elements = elementsIn(shape);
        if (!elements || type == "TensorList" || __builtin_add_overflow(whole.elements, *elements, &whole.elements))
            return std::nullopt;
        const std::string known(elementBytes(type) ? type : std::string_view());
        whole.type = tensors++ && whole.type != known ? std::string() : known;
    }
    return tensors ? std::optional(std::move(whole)) : std::nullopt;
}

MessageShapes::MessageShapes(const Trace &trace, std::span<const uint32_t> slices) : m_trace(trace)
{
    std::vector<std::pair<TextPlace, Key>> reads;
    SliceReader reader(trace);
    for (const uint32_t slice : slices) {
        const auto key = keyOf(slice);
        if (!key || !trace.source || m_shapes.size() >= kMostReads || !reader.seek(slice))
            continue;
        const SliceTable &table = reader.segment().slices;
        if (m_shapes.try_emplace(*key).second)
            reads.push_back({{table.sourceOffset[reader.at()], table.sourceLength[reader.at()]}, *key});
    }
    std::sort(reads.begin(), reads.end());
    for (const auto &[place, key] : reads) {
        if (const auto arguments = trace.source->arguments(place))
            m_shapes[key] =
                messageShape(argumentJson(*arguments, kShapeKeys), argumentJson(*arguments, {"Input type"}));
    }
}

std::optional<MessageShapes::Key> MessageShapes::keyOf(uint32_t slice) const
{
    const auto detail = m_trace.detailOf(&Segment::operators, SliceId(slice));
    if (!detail || !detail[&OperatorTable::inputDims] || !detail[&OperatorTable::inputTypes])
        return std::nullopt;
    return Key{detail[&OperatorTable::inputDims], detail[&OperatorTable::inputTypes]};
}

const MessageShape *MessageShapes::of(uint32_t slice) const
{
    const auto key = keyOf(slice);
    const auto found = key ? m_shapes.find(*key) : m_shapes.end();
    return found == m_shapes.end() || !found->second ? nullptr : &*found->second;
}

} // namespace riffle
