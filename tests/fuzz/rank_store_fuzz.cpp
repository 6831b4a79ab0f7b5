// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/run_steps.h"
#include "model/analysis/table/table_text.h"
#include "model/trace/run/rank_description.h"
#include "model/trace/run/rank_store.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/store_mending.h"
#include "tests/support/archives.h"

using namespace riffle;

namespace {

RankFacts originalFacts()
{
    RankFacts facts;
    facts.format = "Kineto JSON";
    facts.rank = 3;
    facts.host = "node";
    facts.baseTimeNs = 1'700'000'000'000'000'000;
    facts.clocks = {{5, 1'700'000'000'000'000'005}};
    facts.span = facts.asked = facts.recorded = {0, 100'000};
    facts.devices = {{0, "GPU", 80ll << 30}};
    facts.ofTraining = true;
    std::vector<StepFigures> rows;
    for (int number = 0; number < 20; ++number) {
        rows.push_back(unknownStepFigures());
        rows.back().number = number;
        rows.back().start = number * 1'000;
        rows.back().duration = 900;
        rows.back().busy = 500;
        rows.back().idle = 400;
        rows.back().device = number % 2;
    }
    facts.steps = stepFigureTable(rows);
    return facts;
}

/// The facts about a rank in a folder, and the bytes of their store.
struct Original {
    test::TemporaryFolder folder;
    std::string path = folder.file("rank.json");
    StoreFolder stores{folder.file("stores")};
    std::string storePath;
    SourceIdentity identity;
    std::string stored;

    Original()
    {
        test::writeFile(path, "the text of a trace");
        storePath = stores.storePath(path, StoreFolder::Contents::Rank);
        identity = *SourceIdentity::of(path);
        test::require(static_cast<bool>(storeRank(stores, originalFacts(), path, identity, {})),
                      "the facts cannot be stored");
        stored = test::readFile(storePath);
    }
};

} // namespace

/// Changes the stored facts about a rank, corrects their hashes, and makes the table of what opens, beside the
/// original.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const Original kOriginal;
    const test::Effort effort(size, {.bytes = 64 << 20, .bytesPerByte = 1000});
    RankFacts described;
    (void)readRankDescription({reinterpret_cast<const char *>(data), size}, described);

    StoreHeader good;
    std::memcpy(&good, kOriginal.stored.data(), sizeof good);
    const std::string changed = test::edited(kOriginal.stored, {data, size});
    std::vector<uint8_t> bytes(changed.begin(), changed.end());
    test::mendHashes(bytes, good, [](auto &&...) {});
    test::writeFile(kOriginal.storePath, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    const auto facts = openStoredRank(kOriginal.stores, kOriginal.path, kOriginal.identity);
    test::require(static_cast<bool>(facts) || size > 0, "the stored facts cannot be opened");
    if (!facts)
        return 0;
    const KnownRank ranks[] = {{"changed.json", *facts},
                               {"original.json", std::make_shared<const RankFacts>(originalFacts())}};
    const ResultTable table = stepsOfRun(ranks);
    test::require(table.isRectangular() && table.rows() == (*facts)->steps.start.size() + 20, "the table lacks rows");
    tableCsv(table, allRows(table));
    return 0;
}
