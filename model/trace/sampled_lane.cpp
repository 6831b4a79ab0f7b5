// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/sampled_lane.h"

#include <fmt/format.h>

namespace riffle {

namespace {
constexpr std::string_view kSampled = ": Python, sampled every ";
}

std::string sampledTitle(std::string_view threadTitle, int64_t intervalNs)
{
    return fmt::format("{}{}{:g} ms", threadTitle, kSampled, static_cast<double>(intervalNs) / 1e6);
}

std::optional<int64_t> sampledThread(const Trace &trace, const Lane &lane)
{
    if (lane.kind != LaneKind::Thread || lane.tid.kind != RawId::Kind::Signed || lane.tid.bits < kSampledTid ||
        trace.string(lane.name.value).find(kSampled) == std::string_view::npos)
        return std::nullopt;
    return lane.tid.bits - kSampledTid;
}

} // namespace riffle
