// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/shape_label.h"

#include "model/analysis/facts/step_marks.h"
#include "model/base/ascii.h"

#include <algorithm>
#include <array>

namespace riffle {

namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

bool isWordPart(char c) { return asciiDigit(c) || (asciiLower(c) >= 'a' && asciiLower(c) <= 'z') || c == '_'; }

/// Replaces the digits of addresses (0x7f3a01c8) by one sign. The sizes in "gemm_120x64" are no address.
std::string withoutAddresses(std::string_view name)
{
    constexpr size_t kFewestDigits = 5;
    std::string kept;
    for (size_t at = 0; at < name.size();) {
        const size_t found = std::min(name.find("0x", at), name.size());
        const size_t behind = std::min(name.find_first_not_of(kHexDigits, found + 2), name.size());
        const bool isAddress = behind >= found + 2 + kFewestDigits && (found == 0 || !isWordPart(name[found - 1]));
        kept += name.substr(at, (isAddress ? found : behind) - at);
        if (isAddress)
            kept += "0x…";
        at = behind;
    }
    return kept;
}

/// True if a text ends with a word that counts the steps of a loop.
bool endsWithCounter(std::string_view text)
{
    static constexpr std::array<std::string_view, 6> kWords{"step", "iter", "iteration", "batch", "epoch", "train"};
    constexpr size_t kLongest = 9;
    const std::string lower = asciiLower(text.substr(text.size() - std::min(text.size(), kLongest)));
    return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.ends_with(word); });
}

/// Removes numbers that follow a word such as "step", with what separates them: "iteration 12" is "iteration".
std::string withoutCounters(std::string_view name)
{
    std::string kept;
    for (size_t at = 0; at < name.size();) {
        const size_t digits = std::min(name.find_first_of(kDigits, at), name.size());
        kept += name.substr(at, digits - at);
        at = std::min(name.find_first_not_of(kDigits, digits), name.size());
        const size_t word = kept.find_last_not_of(" #:=_-");
        if (digits < name.size() && word != kept.npos && endsWithCounter(std::string_view(kept).substr(0, word + 1)))
            kept.resize(word + 1);
        else
            kept += name.substr(digits, at - digits);
    }
    return kept;
}

} // namespace

std::string shapeName(ShapeKind kind, std::string_view name)
{
    static constexpr std::string_view kGraph = "## Call CompiledFxGraph ";
    if (name.starts_with(kGraph))
        return std::string(kGraph) + "##";
    const std::string named = withoutAddresses(kind >= ShapeKind::Kernel ? name : withoutStepNumber(name));
    return kind == ShapeKind::Annotation ? withoutCounters(named) : named;
}

std::string threadShapeName(std::string_view name)
{
    static constexpr std::string_view kThread = "thread ";
    if (!name.starts_with(kThread))
        return std::string(name);
    const size_t behind = std::min(name.find_first_not_of("0123456789-", kThread.size()), name.size());
    return behind == kThread.size() ? std::string(name)
           : behind == name.size()  ? "thread"
                                    : "thread" + std::string(name.substr(behind));
}

} // namespace riffle
