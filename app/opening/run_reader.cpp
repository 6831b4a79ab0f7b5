// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/run_reader.h"

#include "model/analysis/facts/trace_facts.h"
#include "model/analysis/ranks/rank_facts_of.h"
#include "model/analysis/summary/summary.h"
#include "model/base/parallel.h"
#include "model/base/stopping.h"
#include "model/trace/run/rank_store.h"

#include <utility>

namespace riffle {

namespace {

/// Makes the facts about a rank and stores them. Returns null if the trace cannot be opened.
std::shared_ptr<const RankFacts> madeFrom(RunReader::Source source, const std::stop_token &stop)
{
    if (!source.trace) {
        if (source.stores && source.identity)
            if (auto stored = openStoredRank(*source.stores, source.path, *source.identity))
                return *stored;
        const auto opened =
            openTrace(source.path, source.import, {source.stores, StorePolicy::Verify::Later, 0}, {stop, nullptr});
        if (!opened)
            return nullptr;
        source.trace = opened->trace;
        source.identity = opened->identity;
    }
    const auto facts = untilStopped(stop, [&] {
        const LoadedTrace *shared = source.facts ? source.facts->set().find(source.id) : nullptr;
        if (shared && shared->trace == source.trace)
            return std::make_shared<const RankFacts>(rankFactsOf(source.facts->of(source.id)));
        return std::make_shared<const RankFacts>(rankFactsOf(TraceFacts(source.trace)));
    });
    if (!facts)
        return nullptr;
    // The answer about a file that was cut while it was read is no answer for the next time.
    if (source.stores && source.identity && !source.trace->failure())
        (void)storeRank(*source.stores, **facts, source.path, *source.identity, {stop, nullptr}); // only a copy
    return *facts;
}

} // namespace

RunReader::RunReader(QObject *parent) : QObject(parent), m_jobs(this) {}

void RunReader::readStored(std::vector<Wanted> wanted, const StoreFolder &stores)
{
    m_jobs.run(
        kStored,
        [wanted = std::move(wanted), stores](const std::stop_token &stop) {
            std::vector<Known> known(wanted.size());
            untilStopped(stop, [&] {
                parallelFor(wanted.size(), [&](size_t at) {
                    known[at].id = wanted[at].id;
                    const std::string &path = wanted[at].path;
                    if (const Result<SourceIdentity> identity = SourceIdentity::of(path))
                        if (const auto stored = openStoredRank(stores, path, *identity))
                            known[at].facts = *stored;
                });
                return true;
            });
            std::erase_if(known, [](const Known &one) { return !one.facts; });
            return known;
        },
        [this](const std::vector<Known> &known) { emit found(known); });
}

void RunReader::make(Source source)
{
    const TraceId id = source.id;
    m_jobs.run(
        kMake,
        [source = std::move(source)](const std::stop_token &stop) mutable { return madeFrom(std::move(source), stop); },
        [this, id](std::shared_ptr<const RankFacts> facts) {
            emit made({id, std::move(facts)});
        },
        [this, id](const QString &) {
            emit made({id, nullptr});
        });
}

} // namespace riffle
