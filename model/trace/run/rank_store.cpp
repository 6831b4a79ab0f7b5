// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/run/rank_store.h"

#include "model/base/mapped_file.h"
#include "model/trace/run/rank_description.h"
#include "model/trace/store.h"
#include "model/trace/store_columns.h"

#include <tuple>
#include <xxhash.h>

namespace riffle {

namespace {

constexpr uint32_t kRankVersion = 1; ///< to be raised when the meaning of a figure changes

/// Calls f(table) for every table in the stored order.
template <typename Facts, typename F>
void visitTables(Facts &facts, F f)
{
    f(facts.steps);
}

uint64_t rankSchemaHash()
{
    // The figures come from what an importer made, so they are as old as the stores of traces.
    std::string schema = "riffle rank of store " + std::to_string(kStoreVersion) + '\n';
    RankFacts facts;
    visitTables(facts, [&](auto &table) {
        schema += table.kName;
        const auto add = [&]<typename T>(const Column<T> &) {
            static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kStoreAlignment);
            schema += ' ' + std::to_string(sizeof(T));
        };
        std::apply([&](const auto &...column) { (add(column), ...); }, table.members());
        schema += '\n';
    });
    return XXH3_64bits(schema.data(), schema.size());
}

const StoreKind &rankKind()
{
    static const StoreKind kKind{{'R', 'I', 'F', 'F', 'L', 'E', 'R', 'K'},
                                 kRankVersion,
                                 rankSchemaHash(),
                                 "This is not a stored copy of the facts about a rank."};
    return kKind;
}

bool isTime(Ns time) { return time >= kEarliestTime && time <= kLatestTime; }

/// True if sums and differences of the figures cannot overflow.
bool isWithinBounds(const StepFigureTable &steps)
{
    const auto isTimeOrUnknown = [](Ns time) { return time == kNoInt || isTime(time); };
    for (size_t row = 0; row < steps.start.size(); ++row) {
        const Ns start = steps.start[row], duration = steps.duration[row];
        if (!isTime(start) || duration < 0 || !isTime(saturatedSum(start, duration)) ||
            !isTimeOrUnknown(steps.deviceStart[row]) || !isTimeOrUnknown(steps.deviceEnd[row]))
            return false;
        const auto isPart = [&](Ns part) { return part == kNoInt || (part >= 0 && part <= duration); };
        for (const Column<Ns> *figure : {&steps.kernelTime, &steps.busy, &steps.communication, &steps.exposed,
                                         &steps.hostWait, &steps.idle, &steps.missing})
            if (!isPart((*figure)[row]))
                return false;
        for (const Ns part : steps.idleByCause[row])
            if (!isPart(part))
                return false;
    }
    return true;
}

} // namespace

Result<std::shared_ptr<const RankFacts>> openRankStore(const std::string &storePath, const SourceIdentity &source)
{
    const auto opened = StoreFile::open(storePath, rankKind(), source);
    if (!opened)
        return opened.error();
    const StoreFile &file = **opened;
    for (size_t column = 0; column < file.columns().size(); ++column)
        if (!file.verifyColumn(column))
            return storeDamaged(storePath, "the columns do not match their hashes");

    const auto facts = std::make_shared<RankFacts>();
    StoredColumns columns(file);
    bool areEquallyLong = true;
    visitTables(*facts, [&](auto &table) {
        std::apply(
            [&](auto &first, auto &...more) {
                columns.take(first);
                (columns.take(more), ...);
                areEquallyLong = areEquallyLong && ((more.size() == first.size()) && ...);
            },
            table.members());
    });
    Column<char> description;
    columns.take(description);
    if (!columns.fit() || !columns.atEnd() || !areEquallyLong ||
        !readRankDescription({description.data(), description.size()}, *facts) || file.mapped()->lost())
        return storeDamaged(storePath, "the description is invalid");
    if (!isWithinBounds(facts->steps))
        return storeDamaged(storePath, "a figure is longer than its step");
    return std::shared_ptr<const RankFacts>(facts);
}

Result<uint64_t> writeRankStore(const RankFacts &facts, const SourceIdentity &source, const std::string &storePath,
                                const Task &task)
{
    std::vector<StorePlan> plans;
    visitTables(facts, [&](const auto &table) {
        std::apply([&](const auto &...column) { (plans.emplace_back().add(column), ...); }, table.members());
    });
    const std::string description = describeRank(facts);
    plans.emplace_back().add(std::as_bytes(std::span(description)));
    return writeStoreColumns(rankKind(), plans, source, storePath, task);
}

Result<std::shared_ptr<const RankFacts>> openStoredRank(const StoreFolder &stores, const std::string &path,
                                                        const SourceIdentity &source)
{
    Result<std::shared_ptr<const RankFacts>> stored =
        openRankStore(stores.storePath(path, StoreFolder::Contents::Rank), source);
    if (stored)
        stores.markUsed(path, StoreFolder::Contents::Rank);
    else
        stores.remove(path, StoreFolder::Contents::Rank);
    return stored;
}

Result<uint64_t> storeRank(const StoreFolder &stores, const RankFacts &facts, const std::string &path,
                           const SourceIdentity &source, const Task &task)
{
    return stores.place(
        path, source, [&](const std::string &storePath) { return writeRankStore(facts, source, storePath, task); },
        StoreFolder::Contents::Rank);
}

} // namespace riffle
