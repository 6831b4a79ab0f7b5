// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/message_size.h"

#include "model/base/ascii.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace riffle {

namespace {

/// Lower case without underscores: "_reduce_scatter_base" becomes "reducescatterbase", "ReduceScatter" "reducescatter".
std::string plainName(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '_' && c != ' ')
            plain += asciiLower(c);
    return plain;
}

struct Size {
    std::string_view type;
    int64_t bytes;
};
// The names of types in c10 and in C++.
constexpr Size kSizes[]{
    {"double", 8},       {"long", 8},           {"longint", 8},    {"uint64", 8},   {"int64", 8},
    {"complexfloat", 8}, {"complexdouble", 16}, {"float", 4},      {"int", 4},      {"uint32", 4},
    {"int32", 4},        {"complexhalf", 4},    {"half", 2},       {"bfloat16", 2}, {"short", 2},
    {"shortint", 2},     {"uint16", 2},         {"int16", 2},      {"byte", 1},     {"char", 1},
    {"bool", 1},         {"unsignedchar", 1},   {"signedchar", 1}, {"uint8", 1},    {"int8", 1},
    {"c10::half", 2},    {"c10::bfloat16", 2},
};

enum class Kind : uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Directed, None };

Kind kindOf(std::string_view collective)
{
    const std::string name = plainName(collective);
    const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
    if (has("allreduce"))
        return Kind::AllReduce;
    if (has("allgather"))
        return Kind::AllGather;
    if (has("reducescatter"))
        return Kind::ReduceScatter;
    if (has("alltoall"))
        return Kind::AllToAll;
    static constexpr std::string_view kDirected[]{"broadcast", "reduce", "gather", "scatter", "send", "recv"};
    return std::any_of(std::begin(kDirected), std::end(kDirected), has) ? Kind::Directed : Kind::None;
}

} // namespace

std::optional<int64_t> elementBytes(std::string_view dataType)
{
    const std::string type = plainName(dataType);
    if (type.starts_with("float8") || type.starts_with("c10::float8"))
        return 1;
    const auto found =
        std::find_if(std::begin(kSizes), std::end(kSizes), [&](const Size &each) { return each.type == type; });
    return found == std::end(kSizes) ? std::nullopt : std::optional(found->bytes);
}

std::optional<int64_t> messageBytes(std::string_view collective, int64_t inElements, int64_t outElements,
                                    std::string_view dataType)
{
    const Kind kind = kindOf(collective);
    const int64_t elements = kind == Kind::AllGather ? outElements : inElements;
    const auto size = elementBytes(dataType);
    int64_t bytes = 0;
    if (kind == Kind::None || elements < 0 || !size || __builtin_mul_overflow(elements, *size, &bytes))
        return std::nullopt;
    return bytes;
}

} // namespace riffle
