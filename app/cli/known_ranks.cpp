// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/known_ranks.h"

#include "app/cli/output.h"
#include "model/analysis/ranks/rank_facts_of.h"
#include "model/trace/run/rank_store.h"

#include <algorithm>
#include <utility>

namespace riffle::cli {

namespace {

/// The facts from the cache; null if it has none.
std::shared_ptr<const RankFacts> cachedRank(const std::string &path, const OpenOptions &options)
{
    const bool areOptionsRight = importOptions(options) && parseBytes(options.storeLimit);
    if (options.noStore || !areOptionsRight) // opening the trace complains about them
        return nullptr;
    const Result<SourceIdentity> identity = SourceIdentity::of(path);
    if (!identity)
        return nullptr;
    const auto stored = openStoredRank(StoreFolder(), path, *identity);
    return stored ? *stored : nullptr;
}

} // namespace

InputRanks knownRanks(const std::vector<std::string> &paths, const OpenOptions &options, int &code)
{
    InputRanks found;
    for (const std::string &path : paths) {
        if (auto cached = cachedRank(path, options)) {
            if (cached->worst == Severity::Lost)
                code = std::max<int>(code, WithLosses);
            found.ranks.push_back({path, std::move(cached)});
            continue;
        }
        if (const auto store = std::exchange(found.store, nullptr))
            store();
        const InputTrace opened = openTrace(path, options, code);
        if (!opened.trace)
            return {};
        code = std::max(code, exitCodeOf(*opened.trace));
        const TraceFacts facts(opened.trace);
        const auto made = std::make_shared<const RankFacts>(rankFactsOf(facts));
        code = codeAfterAnswer(*opened.trace, code);
        found.ranks.push_back({path, made});
        if (!opened.trace->failure())
            found.store = [opened, made] {
                if (opened.store)
                    opened.store();
                if (opened.storeRank)
                    opened.storeRank(*made);
            };
    }
    return found;
}

} // namespace riffle::cli
