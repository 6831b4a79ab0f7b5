// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/message_size.h"

#include "model/analysis/facts/collective_kind.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace riffle {

namespace {

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

} // namespace

std::optional<int64_t> elementBytes(std::string_view dataType)
{
    const std::string type = plainCollectiveName(dataType);
    if (type.starts_with("float8") || type.starts_with("c10::float8"))
        return 1;
    const auto found =
        std::find_if(std::begin(kSizes), std::end(kSizes), [&](const Size &each) { return each.type == type; });
    return found == std::end(kSizes) ? std::nullopt : std::optional(found->bytes);
}

std::optional<int64_t> messageBytes(std::string_view collective, int64_t inElements, int64_t outElements,
                                    std::string_view dataType)
{
    const CollectiveKind kind = collectiveKind(collective);
    const int64_t elements = kind == CollectiveKind::AllGather ? outElements : inElements;
    const auto size = elementBytes(dataType);
    int64_t bytes = 0;
    if (kind == CollectiveKind::Barrier || kind == CollectiveKind::Other || elements < 0 || !size ||
        __builtin_mul_overflow(elements, *size, &bytes))
        return std::nullopt;
    return bytes;
}

} // namespace riffle
