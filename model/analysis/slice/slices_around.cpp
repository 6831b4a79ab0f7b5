// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/slice/slices_around.h"

#include "model/analysis/slice/slice_links.h"
#include "model/analysis/slice/stack_of.h"

#include <algorithm>

namespace riffle {

namespace {
constexpr size_t kMost = 10'000; ///< the same limit as for stacks elsewhere

AroundKind kindOf(const Trace &trace, const Slice &slice)
{
    // Slices without arguments are recognised only by their category.
    const std::string_view category = trace.string(slice.data.category);
    if (isPythonFrame(slice) || category == "python_function")
        return trace.string(slice.data.name).starts_with("nn.Module: ") ? AroundKind::Module : AroundKind::Python;
    if (isOperator(slice) || category == "cpu_op" || category == "Operator" || category == "OperatorInner")
        return AroundKind::Operator;
    return AroundKind::Other;
}

} // namespace

const char *aroundKindName(AroundKind kind)
{
    switch (kind) {
    case AroundKind::Operator: return "operator";
    case AroundKind::Module: return "module";
    case AroundKind::Python: return "Python";
    case AroundKind::Other: break;
    }
    return "range";
}

std::vector<SliceAround> slicesAround(const Trace &trace, SliceId innermost)
{
    std::vector<SliceAround> around;
    const auto climb = [&](SliceId from, bool forward) {
        for (std::optional<Slice> at = trace.slice(from); at && around.size() < kMost; at = trace.slice(at->parent)) {
            SliceAround one{at->id, std::string(trace.string(at->data.name)), kindOf(trace, *at)};
            one.own = one.kind == AroundKind::Module ||
                      (one.kind == AroundKind::Python && parseFrame(one.name).kind == FrameClass::User);
            one.forward = forward;
            around.push_back(std::move(one));
        }
    };
    climb(innermost, false);
    const auto isPython = [](const SliceAround &one) {
        return one.kind == AroundKind::Python || one.kind == AroundKind::Module;
    };
    if (!around.empty() && std::none_of(around.begin(), around.end(), isPython))
        climb(linksOf(trace, innermost, 0).forward, true);
    return around;
}

} // namespace riffle
