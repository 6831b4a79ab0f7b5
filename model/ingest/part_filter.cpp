// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/part_filter.h"

#include "model/base/time.h"

#include <utility>

namespace riffle {

Result<KeptPart> resolvePart(const ImportOptions &options, const Task &task,
                             const std::function<Result<TimeSpan>(TraceBuilder &, PartFilter)> &read)
{
    TraceBuilder builder(columnMemory(options));
    const Result<TimeSpan> recorded = read(builder, PartFilter(PartFilter::Keep::Launches));
    if (!recorded)
        return recorded.error();
    TraceInfo info;
    info.recorded = *recorded;
    auto sealed = builder.seal(std::move(info), nullptr, {}, task);
    if (!sealed)
        return sealed.error();
    const Trace &trace = **sealed;
    if (!options.steps)
        return partOfRange(trace, {saturatedSum(trace.info.recorded.begin, options.range->begin),
                                   saturatedSum(trace.info.recorded.begin, options.range->end)});
    if (auto part = partOfSteps(trace, *options.steps))
        return std::move(*part);
    return Error{"The trace has none of these steps.", {}, std::nullopt};
}

} // namespace riffle
