// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/allocator/oom_advice.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/events/event_place.h"
#include "model/analysis/memory/memory_info.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/base/ids.h"
#include "model/trace/tables.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace riffle {

namespace {

using Enough = OomAdvice::Enough;
using PieceState = AllocatorPiece::State;

std::string sized(uint64_t bytes) { return formatBytes(bytesOf(bytes)); }

/// True if both together reach `needed`. Damaged files can contain any number, so the sum may not wrap.
bool together(uint64_t a, uint64_t b, uint64_t needed) { return a >= needed || b >= needed - a; }

/// The means that reduce the memory of a category.
struct CategoryRemedy {
    const char *category, *what, *explanation;
    size_t places; ///< the most places to name
};
constexpr std::array<CategoryRemedy, 5> kRemedies{
    {{"activation", "checkpointing",
      "activation checkpointing (torch.utils.checkpoint) computes them again in the "
      "backward pass instead of keeping them",
      3},
     {"gradient", "freeing gradients",
      "optimizer.zero_grad(set_to_none=True) before the forward pass frees those of the "
      "step before, unless gradients are accumulated",
      1},
     {"optimizer_state", "smaller optimizer state",
      "sharding (FSDP, ZeRO), an optimizer with 8-bit state or offloading "
      "makes it smaller",
      1},
     {"parameter_copy", "no model copies", "DistributedDataParallel, with one process per device, makes no copies", 1},
     {"kv_cache", "smaller KV cache", "fewer or shorter sequences at a time need less of it", 1}}};

/// Collects the advice for one failure.
class Adviser {
public:
    Adviser(const SnapshotFacts &facts, const AllocatorMap &map, const OutOfMemory &oom, uint32_t failure,
            std::vector<OomAdvice> &advice)
        : m_facts(facts)
        , m_snapshot(facts.snapshot())
        , m_map(map)
        , m_oom(oom)
        , m_state(map.after(oom.event))
        , m_failure(failure)
        , m_advice(advice)
    {
    }

    void onTheAllocator()
    {
        if (m_oom.verdict == OomVerdict::Refused)
            add("raise the limit", left(), Enough::Perhaps,
                "The device itself had this much free: look at set_per_process_memory_fraction() and at what other "
                "processes or the driver take at that moment.");
        if (m_oom.verdict == OomVerdict::Unexplained)
            add("allow splitting", m_oom.largestFitting, Enough::Perhaps,
                "A suitable hole of this size was there. A larger max_split_size_mb, or none, lets the allocator use "
                "it; otherwise, the same request may succeed when it is made again.");
        onPending();
        onUnusedSegments();
        onHolesElsewhere();
        onFragmentation();
    }

    void onCategories(const MemoryCategories &categories)
    {
        std::map<std::string, Places> found; // per category
        std::map<uint32_t, std::string> known;
        for (const AllocatorPiece &piece : m_state.pieces) {
            if (piece.state != PieceState::Active)
                continue;
            const MemoryCategories::Verdict &verdict =
                categories.verdicts()[categories.verdict(m_oom.device, piece.allocation)];
            if (std::none_of(kRemedies.begin(), kRemedies.end(),
                             [&](const CategoryRemedy &one) { return verdict.category == one.category; }))
                continue;
            const uint32_t stack =
                allocationStack(m_snapshot, m_map.device().allocations, piece.allocation).allocated();
            const auto [place, isNew] = known.try_emplace(stack);
            if (isNew)
                place->second = eventPlaceText(m_facts.stacks(), stack);
            Places &places = found[verdict.category];
            places.bytes[place->second] += piece.size;
            places.guessed = places.guessed || !verdict.own;
        }
        for (const CategoryRemedy &remedy : kRemedies)
            if (const auto places = found.find(remedy.category); places != found.end())
                onCategory(remedy, places->second);
    }

private:
    /// The memory of a category, by the place that allocated it.
    struct Places {
        std::map<std::string, uint64_t> bytes; ///< the sizes of the blocks
        bool guessed = false;                  ///< false if the snapshot itself records the category
    };

    void add(std::string what, uint64_t bytes, Enough enough, std::string explanation, std::string where = {},
             bool guess = false)
    {
        if (bytes > 0)
            m_advice.push_back(
                {m_failure, std::move(what), bytes, enough, guess, std::move(where), std::move(explanation)});
    }

    uint64_t left() const { return m_oom.deviceFree.value_or(0); }
    /// For segments that would go back to the device, which then must have room for a segment for the request.
    Enough enoughSegments(uint64_t bytes) const
    {
        if (m_oom.verdict == OomVerdict::Refused) // by a limit that is not known
            return bytes > 0 ? Enough::Perhaps : Enough::No;
        return together(bytes, left(), m_oom.segment) ? Enough::Yes : Enough::No;
    }

    void onPending()
    {
        const bool served = m_oom.pending.largestFitting >= m_oom.asked;
        const Enough enough = served ? Enough::Yes : enoughSegments(m_oom.pending.segments);
        std::map<uint32_t, uint64_t> byStack;
        for (const AllocatorPiece &piece : m_state.pieces)
            if (piece.state == PieceState::Pending)
                byStack[allocationStack(m_snapshot, m_map.device().allocations, piece.allocation).allocated()] +=
                    piece.size;
        const auto most = std::max_element(byStack.begin(), byStack.end(),
                                           [](const auto &a, const auto &b) { return a.second < b.second; });
        add("wait for pending frees", m_oom.pending.bytes, enough,
            "The program freed " + formatCounted(m_oom.figures.pendingBlocks, "block", "blocks") +
                " that other streams may still use (record_stream()). Synchronize with those streams before this line, "
                "or free the memory on the stream that used it last. Then the largest suitable hole would be " +
                sized(m_oom.pending.largestFitting) + ".",
            most == byStack.end() ? std::string() : eventPlaceText(m_facts.stacks(), most->first));
    }

    /// Segments without a block in use.
    void onUnusedSegments()
    {
        uint64_t own = 0;
        std::map<uint32_t, uint64_t> byPool;
        for (const AllocatorSegment &segment : m_state.segments) {
            if (segment.figures.blocks > 0)
                continue;
            const bool isDefault = m_snapshot.pools[segment.range.pool] == std::pair<int64_t, int64_t>();
            (isDefault ? own : byPool[segment.range.pool]) += segment.range.size;
        }
        add("return unused segments", own, enoughSegments(own),
            "Nothing is in these segments of the default pool: torch.cuda.empty_cache() returns them to the device. "
            "The allocator does so itself before it fails, except while a CUDA graph is captured.");
        for (const auto &[pool, bytes] : byPool)
            add("destroy or share a private pool", bytes, enoughSegments(bytes),
                "Nothing is in these segments of " + memoryPoolName(m_snapshot, pool) +
                    ", but they stay reserved for its CUDA graphs or its MemPool until these are gone. Graphs that "
                    "never run at the same time can share a pool.");
    }

    /// Holes beside blocks in use that the request may not take, although they are for requests of its size.
    void onHolesElsewhere()
    {
        AllocatorFigures streams, pools;
        for (const AllocatorSegment &segment : m_state.segments) {
            if (segment.figures.blocks == 0 || !m_oom.isOfKind(m_snapshot, segment.range))
                continue;
            const bool sameStream = segment.range.stream == m_oom.stream, samePool = segment.range.pool == m_oom.pool;
            if (sameStream != samePool)
                (sameStream ? pools : streams).add(segment.figures);
        }
        const auto enough = [&](const AllocatorFigures &one) {
            return one.largestFree >= m_oom.asked ? Enough::Yes : Enough::No;
        };
        add("use one stream", streams.free, enough(streams),
            "These holes are in segments of other streams, and only these streams can use them. The largest has " +
                sized(streams.largestFree) + ". Memory that is allocated on one stream shares its holes.");
        add("use one pool", pools.free, enough(pools),
            "These holes of the same stream are in other pools, and only requests to these pools can use them. The "
            "largest has " +
                sized(pools.largestFree) + ".");
    }

    void onFragmentation()
    {
        if (m_oom.pool != 0 || m_snapshot.setting("expandable_segments") == "True")
            return; // private pools have fixed segments
        uint64_t holes = 0, kept = 0;
        for (const AllocatorSegment &segment : m_state.segments) {
            if (segment.range.expandable || segment.figures.blocks == 0 || !m_oom.suits(m_snapshot, segment.range))
                continue;
            holes += segment.figures.free;
            for (const AllocatorPiece &piece : m_state.piecesOf(segment))
                if (piece.state == PieceState::Active) {
                    const uint64_t least = m_map.sizes().rounding().rounded(piece.requested);
                    kept += piece.size > least ? piece.size - least : 0;
                }
        }
        const uint64_t bytes = holes + kept;
        add("expandable_segments:True", bytes, together(bytes, left(), m_oom.asked) ? Enough::Perhaps : Enough::No,
            "With expandable segments, the " + sized(holes) + " in holes of this stream's segments and the " +
                sized(kept) +
                " that blocks keep as remainders could be one piece. This is an upper limit: holes of less than a page "
                "(2 MiB) stay.");
    }

    void onCategory(const CategoryRemedy &remedy, const Places &places)
    {
        constexpr uint64_t kLeastShare = 100; // advice about less than a hundredth of the memory is noise
        if (remedy.category == std::string_view("gradient") && isAfterForward())
            return;
        std::vector<std::pair<uint64_t, std::string>> most;
        uint64_t total = 0;
        for (const auto &[place, bytes] : places.bytes) {
            most.emplace_back(bytes, place);
            total += bytes;
        }
        std::sort(most.rbegin(), most.rend());
        for (size_t at = 0; at < std::min(most.size(), remedy.places); ++at) {
            const uint64_t bytes = remedy.places == 1 ? total : most[at].first;
            if (bytes < m_state.figures.reserved / kLeastShare)
                break;
            add(remedy.what, bytes, together(bytes, left(), m_oom.asked) ? Enough::Perhaps : Enough::No,
                std::string(places.guessed ? "A guess by stacks and lifetimes: this is "
                                           : "By the categories that the snapshot records, this is ") +
                    remedy.category + " memory, at most; " + remedy.explanation + ".",
                most[at].second, places.guessed);
        }
    }

    /// True if the request failed in the backward pass or in the optimizer, where gradients are needed.
    bool isAfterForward() const
    {
        for (const uint32_t frame : m_snapshot.stacks.at(m_oom.stack)) {
            const MemoryFrame &one = m_snapshot.frames[frame];
            const std::string_view name = m_snapshot.string(one.name), file = m_snapshot.string(one.file);
            if (name.find("ackward") != name.npos || file.find("torch/optim/") != file.npos)
                return true;
        }
        return false;
    }

    const SnapshotFacts &m_facts;
    const MemorySnapshot &m_snapshot;
    const AllocatorMap &m_map;
    const OutOfMemory &m_oom;
    const AllocatorState m_state;
    const uint32_t m_failure;
    std::vector<OomAdvice> &m_advice;
};

std::string_view enoughWord(Enough enough)
{
    return enough == Enough::Yes ? "yes" : enough == Enough::Perhaps ? "perhaps" : "no";
}

} // namespace

std::vector<OomAdvice> adviceOnFailures(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all,
                                        const MemoryCategories &categories, const Task &task)
{
    constexpr size_t kMost = 10;
    std::vector<OomAdvice> advice;
    std::optional<AllocatorMap> map;
    for (uint32_t at = 0; at < std::min(all.size(), kMost) && !task.stopped(); ++at) {
        if (at == 0 || all[at].device != all[at - 1].device)
            map.emplace(facts, all[at].device, task);
        const size_t first = advice.size();
        Adviser adviser(facts, *map, all[at], at, advice);
        adviser.onTheAllocator();
        adviser.onCategories(categories);
        std::stable_sort(advice.begin() + static_cast<ptrdiff_t>(first), advice.end(),
                         [](const OomAdvice &a, const OomAdvice &b) {
                             return a.enough != b.enough ? a.enough > b.enough : a.bytes > b.bytes;
                         });
    }
    return advice;
}

ResultTable adviceTable(const SnapshotFacts &facts, const std::vector<OutOfMemory> &all,
                        const std::vector<OomAdvice> &advice)
{
    using Row = OomAdvice;
    ResultTable table;
    table.view = "advice";
    table.title = "What would have helped";
    TableBuilder<Row> build(table, advice);
    const auto device = [&](const Row &row) -> const DeviceReplay & {
        return facts.replay().devices[all[row.failure].device];
    };
    build.text("device", "Device", "", [&](const Row &row) { return memoryDeviceName(device(row)); });
    build.id("event", "Event", "number of the failure in the device's history",
             [&](const Row &row) { return all[row.failure].event - device(row).firstEvent; });
    build.text("advice", "Advice", "", [](const Row &row) { return row.what; });
    build.integer("bytes", "Bytes", CellKind::Bytes, "what it frees or makes usable in this snapshot",
                  [](const Row &row) { return bytesOf(row.bytes); });
    build.text("enough", "Enough",
               "whether it alone would have served the request; perhaps: the bytes are an upper limit",
               [](const Row &row) { return std::string(enoughWord(row.enough)); });
    build.text("certainty", "Certainty",
               "exact: by the figures of the allocator; guess: by the category of allocations",
               [](const Row &row) { return row.guess ? "guess" : "exact"; });
    build.text("place", "Place", "the line with the largest part of the bytes, if there is one",
               [](const Row &row) { return row.where; });
    build.text("explanation", "How", "", [](const Row &row) { return row.explanation; }).prose = true;
    if (advice.empty())
        table.absence = all.empty()
                            ? "No allocation failed in the snapshot's history."
                            : "Nothing in this snapshot could have been freed or used: only less memory in use, "
                              "or a larger device, helps.";
    return table;
}

} // namespace riffle
