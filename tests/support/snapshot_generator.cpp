// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshot_generator.h"

#include "tests/support/pickle_writer.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace riffle::test {

namespace {

struct Random {
    uint64_t state;
    uint64_t next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return state >> 33;
    }
    uint64_t below(uint64_t end) { return next() % end; }
};

struct Entry {
    const char *action;
    uint64_t address;
    int64_t size;
    int64_t time;
    uint32_t stack;
};

/// Segments of sixteen blocks of one size. Free blocks of a size are used again, the last one first.
class Allocator {
public:
    struct Block {
        uint64_t address;
        int64_t requested;
        bool used;
        uint32_t stack;
    };
    struct SizeClass {
        int64_t size;
        std::vector<uint64_t> segments;
        std::vector<Block> blocks; ///< sixteen per segment
        std::vector<uint32_t> free;
    };
    static constexpr uint32_t kBlocks = 16;

    Allocator()
    {
        for (int64_t size = 512; size <= int64_t(64) << 20; size *= 4)
            classes.push_back({size, {}, {}, {}});
    }
    /// Returns a class and a block in it.
    std::pair<uint32_t, uint32_t> allocate(uint32_t of, int64_t requested, uint32_t stack, bool &newSegment)
    {
        SizeClass &sizes = classes[of];
        newSegment = sizes.free.empty();
        if (newSegment) {
            sizes.segments.push_back(m_next);
            for (uint32_t at = kBlocks; at > 0; --at)
                sizes.free.push_back(static_cast<uint32_t>(sizes.blocks.size()) + at - 1);
            for (uint32_t at = 0; at < kBlocks; ++at)
                sizes.blocks.push_back({m_next + at * static_cast<uint64_t>(sizes.size), 0, false, 0});
            m_next += static_cast<uint64_t>(sizes.size) * kBlocks + (2 << 20);
        }
        const uint32_t block = sizes.free.back();
        sizes.free.pop_back();
        sizes.blocks[block].requested = requested;
        sizes.blocks[block].used = true;
        sizes.blocks[block].stack = stack;
        return {of, block};
    }
    void release(uint32_t of, uint32_t block)
    {
        classes[of].blocks[block].used = false;
        classes[of].free.push_back(block);
    }
    std::vector<SizeClass> classes;

private:
    uint64_t m_next = 0x7f1a00000000;
};

/// Runs the job and passes on each entry. The same options give the same job.
void simulate(const SnapshotOptions &options, Allocator &allocator, const std::function<void(const Entry &)> &record)
{
    Random random{options.seed};
    struct Live {
        uint32_t of, block;
    };
    std::vector<Live> live;
    int64_t time = 1'750'000'000'000'000;
    uint64_t entries = 0;
    // More entries than are kept, so that the ring buffer has lost some.
    const uint64_t all = options.entries + options.entries / 10 + 1000;
    while (entries < all) {
        const auto layer = static_cast<uint32_t>(random.below(options.stacks));
        time += static_cast<int64_t>(random.below(40));
        const bool grow = live.size() < 200 || (live.size() < 4000 && random.below(100) < 50);
        if (grow) {
            const auto of = static_cast<uint32_t>(random.below(allocator.classes.size()));
            const int64_t size = allocator.classes[of].size;
            const int64_t requested = size - static_cast<int64_t>(random.below(static_cast<uint64_t>(size) / 4));
            bool newSegment = false;
            const auto [kind, block] = allocator.allocate(of, requested, layer, newSegment);
            if (newSegment) {
                record(
                    {"segment_alloc", allocator.classes[of].segments.back(), size * Allocator::kBlocks, time, layer});
                ++entries;
            }
            record({"alloc", allocator.classes[kind].blocks[block].address, requested, time, layer});
            ++entries;
            live.push_back({kind, block});
        } else {
            // The newer an allocation is, the sooner it is freed.
            const size_t at = live.size() - 1 - static_cast<size_t>(random.below(random.below(live.size()) + 1));
            const Allocator::Block &block = allocator.classes[live[at].of].blocks[live[at].block];
            record({"free_requested", block.address, block.requested, time, layer});
            record({"free_completed", block.address, block.requested, time, layer});
            entries += 2;
            allocator.release(live[at].of, live[at].block);
            live[at] = live.back();
            live.pop_back();
        }
    }
}

/// Writes stacks whose frames are shared through the memo.
class StackWriter {
public:
    explicit StackWriter(PickleWriter &out) : m_out(out) {}

    void write(uint32_t stack, bool own)
    {
        const auto known = m_lists.find(stack);
        if (known != m_lists.end() && !own) {
            m_out.get(known->second);
            return;
        }
        m_out.emptyList();
        if (!own)
            m_lists.emplace(stack, m_out.lastMemo());
        m_out.mark();
        const uint32_t depth = 8 + stack % 24;
        for (uint32_t at = 0; at < depth; ++at)
            frame(at < 4 ? stack * 4 + at : 1'000'000 + (stack / 16) * 32 + at);
        m_out.appends();
    }

private:
    void frame(uint32_t id)
    {
        const auto known = m_frames.find(id);
        if (known != m_frames.end()) {
            m_out.get(known->second);
            return;
        }
        m_out.emptyDict();
        m_frames.emplace(id, m_out.lastMemo());
        m_out.mark();
        m_out.text("name");
        m_out.text("function_" + std::to_string(id % 5000));
        m_out.text("filename");
        m_out.text("/opt/train/layers/module_" + std::to_string(id % 300) + ".py");
        m_out.text("line");
        m_out.integer(id % 2000);
        m_out.setItems();
    }

    PickleWriter &m_out;
    std::map<uint32_t, uint32_t> m_lists, m_frames;
};

void writeSegments(PickleWriter &out, StackWriter &stacks, const Allocator &allocator, SnapshotTruth &truth)
{
    out.emptyList();
    for (const Allocator::SizeClass &sizes : allocator.classes) {
        for (uint32_t segment = 0; segment < sizes.segments.size(); ++segment) {
            const auto blocks = sizes.blocks.begin() + segment * Allocator::kBlocks;
            int64_t allocated = 0, requested = 0;
            for (uint32_t at = 0; at < Allocator::kBlocks; ++at) {
                allocated += blocks[at].used ? sizes.size : 0;
                requested += blocks[at].used ? blocks[at].requested : 0;
            }
            truth.reserved += sizes.size * Allocator::kBlocks;
            out.emptyDict();
            out.mark();
            const auto field = [&](const char *key, int64_t value) {
                out.text(key);
                out.integer(value);
            };
            field("device", 0);
            field("address", static_cast<int64_t>(sizes.segments[segment]));
            field("total_size", sizes.size * Allocator::kBlocks);
            field("allocated_size", allocated);
            field("active_size", allocated);
            field("requested_size", requested);
            field("stream", 0);
            out.text("segment_type");
            out.text(sizes.size < (1 << 20) ? "small" : "large");
            out.text("segment_pool_id");
            out.pair(0, 0);
            out.text("is_expandable");
            out.boolean(false);
            out.text("frames");
            out.emptyList();
            out.text("blocks");
            out.emptyList();
            out.mark();
            for (uint32_t at = 0; at < Allocator::kBlocks; ++at) {
                out.emptyDict();
                out.mark();
                field("address", static_cast<int64_t>(blocks[at].address));
                field("size", sizes.size);
                field("requested_size", blocks[at].requested);
                out.text("state");
                out.text(blocks[at].used ? "active_allocated" : "inactive");
                out.text("frames");
                if (blocks[at].used)
                    stacks.write(blocks[at].stack, false);
                else
                    out.emptyList();
                out.setItems();
            }
            out.appends();
            out.setItems();
            out.append();
        }
    }
}

} // namespace

SnapshotTruth generateSnapshot(const SnapshotOptions &options, const std::function<void(std::string_view)> &drain)
{
    SnapshotTruth truth;
    Allocator allocator;
    uint64_t all = 0;
    simulate(options, allocator, [&](const Entry &) { ++all; });
    const uint64_t lost = all - options.entries;

    PickleWriter out(drain, options.protocol);
    StackWriter stacks(out);
    out.emptyDict();
    out.mark();
    out.text("segments");
    writeSegments(out, stacks, allocator, truth);
    out.text("device_traces");
    out.emptyList();
    out.emptyList();
    out.mark();
    Allocator again;
    uint64_t at = 0, kept = 0;
    int64_t level = 0;
    std::map<uint64_t, bool> open; ///< addresses in use, and whether the kept entries contain the allocation
    simulate(options, again, [&](const Entry &entry) {
        const std::string_view action = entry.action;
        if (action == "alloc")
            level += entry.size;
        const bool isKept = at++ >= lost;
        if (isKept)
            truth.peak = std::max(truth.peak, level);
        if (action == "free_completed")
            level -= entry.size;
        if (action == "alloc") {
            open[entry.address] = isKept;
        } else if (action == "free_completed") {
            truth.unknownFrees += isKept && !open[entry.address];
            open.erase(entry.address);
        }
        if (!isKept)
            return;
        (action == "alloc"            ? truth.allocs
         : action == "free_requested" ? truth.requests
         : action == "free_completed" ? truth.completions
                                      : truth.segmentAllocs)++;
        if (kept > 0 && kept % 1000 == 0) {
            out.appends();
            out.mark();
        }
        out.emptyDict();
        out.mark();
        out.text("action");
        out.text(action);
        out.text("addr");
        out.integer(static_cast<int64_t>(entry.address));
        out.text("size");
        out.integer(entry.size);
        out.text("stream");
        out.integer(0);
        out.text("time_us");
        out.integer(entry.time);
        if (options.annotated) {
            out.text("compile_context");
            out.text("N/A");
            out.text("user_metadata");
            out.text("");
        }
        out.text("frames");
        stacks.write(entry.stack, options.ownLists && kept % options.ownLists == 0);
        out.setItems();
        ++kept;
    });
    truth.atEnd = level;
    out.appends();
    out.append();
    out.text("external_annotations");
    out.emptyList();
    out.setItems();
    out.stop();
    return truth;
}

} // namespace riffle::test
