// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/rank_facts.h"

namespace riffle {

Trace traceWithoutContents(const RankFacts &facts, const std::string &path)
{
    Trace trace;
    trace.info.path = path;
    trace.info.format = facts.format;
    trace.info.fileBytes = facts.bytes;
    trace.info.rank = facts.rank;
    trace.info.worldSize = facts.worldSize;
    trace.info.baseTimeNs = facts.baseTimeNs;
    trace.info.clocks = facts.clocks;
    trace.info.recorded = facts.recorded;
    trace.span = facts.span;
    return trace;
}

} // namespace riffle
