// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// Small pickles in which the memo puts one value in many places. Python needs no memory for that, but whoever copies or
// visits each place does.
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"

#include <chrono>
#include <functional>

using namespace riffle;
using namespace riffle::test;

namespace {

using WriteValue = std::function<void(PickleWriter &)>;

Result<std::shared_ptr<const MemorySnapshot>> readWhole(std::string_view bytes)
{
    ChunkedSource source(bytes);
    return readMemoryPickle(source, "snapshot", {});
}

void expectLimit(std::string_view bytes)
{
    EXPECT_LT(bytes.size(), size_t(4) << 20) << "the pickle is not small";
    const auto read = readWhole(bytes);
    ASSERT_FALSE(read) << "no limit stopped the reading";
    EXPECT_EQ(read.error().kind, ErrorKind::Limit) << read.error().text();
    EXPECT_EQ(read.error().file, "snapshot");
}

/// A snapshot without segments and with one more key.
std::string pickleWith(std::string_view key, const WriteValue &value)
{
    return pickled(4, [&](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("segments");
        out.emptyList();
        out.text(key);
        value(out);
        out.setItems();
    });
}

/// Writes a list that `items` fills, and returns its number in the memo.
uint32_t writeListOf(PickleWriter &out, const WriteValue &items)
{
    out.emptyList();
    const uint32_t memo = out.lastMemo();
    out.mark();
    items(out);
    out.appends();
    return memo;
}

void callTimes(int count, const std::function<void(int)> &call)
{
    for (int at = 0; at < count; ++at)
        call(at);
}

/// Writes a dict with `count` pairs that have no meaning, and returns its number in the memo.
uint32_t writeLongDict(PickleWriter &out, int count, const WriteValue &first)
{
    out.emptyDict();
    const uint32_t memo = out.lastMemo();
    out.mark();
    first(out);
    callTimes(count, [&](int) {
        out.text("nothing");
        out.integer(1);
    });
    out.setItems();
    return memo;
}

void writePlainBlock(PickleWriter &out, int at, const WriteValue &more)
{
    out.emptyDict();
    out.mark();
    out.text("state");
    out.text("active_allocated");
    out.text("size");
    out.integer(512);
    out.text("address");
    out.integer(0x10000 + 512 * at);
    more(out);
    out.setItems();
}

void writePlainSegment(PickleWriter &out, int device, const WriteValue &blocks)
{
    out.emptyDict();
    out.mark();
    out.text("address");
    out.integer(0x10000);
    out.text("total_size");
    out.integer(2 << 20);
    out.text("device");
    out.integer(device);
    blocks(out);
    out.setItems();
}

/// Segments that have one list of blocks.
std::string snapshotOfSharedBlocks(int segments, int blocks)
{
    return pickleWith("segments", [&](PickleWriter &out) {
        writeListOf(out, [&](PickleWriter &) {
            uint32_t memo = 0;
            callTimes(segments, [&](int at) {
                writePlainSegment(out, 0, [&](PickleWriter &) {
                    out.text("blocks");
                    if (at > 0)
                        out.get(memo);
                    else
                        memo = writeListOf(out, [&](PickleWriter &) {
                            callTimes(blocks, [&](int n) { writePlainBlock(out, n, [](auto &) {}); });
                        });
                });
            });
        });
    });
}

/// Devices that have one history.
std::string snapshotOfSharedHistory(int devices, int entries)
{
    return pickleWith("device_traces", [&](PickleWriter &out) {
        writeListOf(out, [&](PickleWriter &) {
            const uint32_t memo = writeListOf(out, [&](PickleWriter &) {
                callTimes(entries, [&](int at) {
                    beginEntry(out, "alloc", 0x10000 + 512 * static_cast<uint64_t>(at), 100);
                    out.setItems();
                });
            });
            callTimes(devices - 1, [&](int) { out.get(memo); });
        });
    });
}

/// A list in which one dict with 50,000 pairs is 50,000 times.
void writeSharedDict(PickleWriter &out, const WriteValue &first)
{
    writeListOf(out, [&](PickleWriter &) {
        const uint32_t memo = writeLongDict(out, 50'000, first);
        callTimes(50'000, [&](int) { out.get(memo); });
    });
}

} // namespace

TEST(SharedValues, SmallSharesAreReadAsPythonReadsThem)
{
    const auto blocks = readWhole(snapshotOfSharedBlocks(3, 4));
    ASSERT_TRUE(blocks) << blocks.error().text();
    ASSERT_EQ((*blocks)->segments.size(), 3u);
    for (const MemorySegment &segment : (*blocks)->segments)
        EXPECT_EQ((*blocks)->blocksOf(segment).size(), 4u);
    const auto histories = readWhole(snapshotOfSharedHistory(3, 4));
    ASSERT_TRUE(histories) << histories.error().text();
    ASSERT_EQ((*histories)->devices.size(), 3u);
    for (const MemoryDeviceTrace &trace : (*histories)->devices)
        EXPECT_EQ(trace.count, 4u);
}

TEST(SharedValues, BlocksOfManySegments) { expectLimit(snapshotOfSharedBlocks(5'000, 2'000)); }

TEST(SharedValues, HistoryOfManyDevices) { expectLimit(snapshotOfSharedHistory(200, 20'000)); }

TEST(SharedValues, SegmentsOfOneDict)
{
    expectLimit(pickleWith("segments", [](PickleWriter &out) {
        writeSharedDict(out, [&](PickleWriter &) {
            out.text("address");
            out.integer(1);
        });
    }));
}

TEST(SharedValues, MarksOfOneDict)
{
    expectLimit(pickleWith("external_annotations", [](PickleWriter &out) {
        writeSharedDict(out, [&](PickleWriter &) {
            out.text("name");
            out.text("step");
        });
    }));
}

/// Old snapshots record the uses of a block. Only the latest one is read.
TEST(SharedValues, UsesOfManyBlocks)
{
    const auto bytes = [](bool isUse) {
        return pickleWith("segments", [&](PickleWriter &out) {
            writeListOf(out, [&](PickleWriter &) {
                writePlainSegment(out, 0, [&](PickleWriter &) {
                    uint32_t memo = 0;
                    out.text("blocks");
                    writeListOf(out, [&](PickleWriter &) {
                        callTimes(50'000, [&](int at) {
                            writePlainBlock(out, at, [&](PickleWriter &) {
                                out.text("history");
                                if (at > 0)
                                    out.get(memo);
                                else
                                    memo = writeListOf(out, [&](PickleWriter &) {
                                        writeLongDict(out, isUse ? 1 : 50'000, [&](PickleWriter &) {
                                            out.text("real_size");
                                            out.integer(500);
                                        });
                                        callTimes(50'000, [&](int) { out.none(); });
                                    });
                            });
                        });
                    });
                });
            });
        });
    };
    expectLimit(bytes(false));
    const auto read = readWhole(bytes(true));
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ((*read)->blocks.size(), 50'000u);
    EXPECT_EQ((*read)->blocks[49'999].requested, 500);
}

TEST(SharedValues, SettingsInSettings)
{
    expectLimit(pickleWith("allocator_settings", [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        uint32_t inner = 0;
        for (const char *key : {"a", "b", "c"}) {
            out.text(key);
            inner = writeListOf(out, [&](PickleWriter &) {
                callTimes(1'500, [&](int) { *key == 'a' ? out.none() : out.get(inner); });
            });
        }
        out.setItems();
    }));
}

TEST(SharedValues, LongTextOfManySettings)
{
    const auto read = readWhole(pickleWith("allocator_settings", [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        const std::string text = "ä" + std::string(1 << 20, 'x');
        callTimes(900, [&](int at) {
            out.text(std::to_string(at));
            out.text(text);
        });
        out.setItems();
    }));
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_EQ((*read)->settings.size(), 900u);
    EXPECT_EQ((*read)->settings[899].second, "ä" + std::string(4094, 'x') + "…");
}

TEST(SharedValues, LongTextOfManyKeys)
{
    expectLimit(pickled(4, [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("segments");
        out.emptyList();
        callTimes(200'000, [&](int) {
            out.text(std::string(1'000, 'k'));
            out.none();
        });
        out.setItems();
    }));
}

/// Analyses read the names of frames and marks once for each frame and each mark.
TEST(SharedValues, LongTextsOfManyRowsAreCut)
{
    const std::string name(1 << 20, 'n'), note(1 << 20, 'm');
    const auto read = readWhole(pickleWith("device_traces", [&](PickleWriter &out) {
        writeListOf(out, [&](PickleWriter &) {
            writeListOf(out, [&](PickleWriter &) {
                beginEntry(out, "alloc", 0x10000, 100);
                out.text("user_metadata");
                out.text(note);
                out.text("frames");
                writeListOf(
                    out, [&](PickleWriter &) { callTimes(3, [&](int line) { writeFrame(out, name, name, line); }); });
                out.setItems();
            });
        });
        out.text("external_annotations");
        writeListOf(out, [&](PickleWriter &) {
            out.emptyDict();
            out.mark();
            out.text("name");
            out.text(name);
            out.text("stage");
            out.text("START");
            out.setItems();
        });
    }));
    ASSERT_TRUE(read) << read.error().text();
    const std::string cut = std::string(4096, 'n') + "…";
    ASSERT_EQ((*read)->frames.size(), 3u);
    for (const MemoryFrame &frame : (*read)->frames) {
        EXPECT_EQ((*read)->string(frame.name), cut);
        EXPECT_EQ((*read)->string(frame.file), cut);
    }
    EXPECT_EQ((*read)->string((*read)->annotations.at(0).name), cut);
    EXPECT_EQ((*read)->string((*read)->events.metadata.at(0, 0)), std::string(16384, 'm') + "…");
}

/// Each device is analysed on its own, so their number has a limit that a small file reaches.
TEST(SharedValues, DevicesHaveALimit)
{
    const auto bytes = [](int devices) {
        return pickleWith("segments", [&](PickleWriter &out) {
            writeListOf(out, [&](PickleWriter &) {
                callTimes(devices, [&](int at) { writePlainSegment(out, at, [](auto &) {}); });
            });
        });
    };
    const auto read = readWhole(bytes(256));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ((*read)->segments.size(), 256u);
    expectLimit(bytes(257));
    expectLimit(snapshotOfSharedHistory(257, 1));
}

/// Streams that are multiples of a number of buckets that the standard library uses.
TEST(SharedValuesSlow, ChosenStreamsTakeNoLongerThanOthers)
{
    const auto secondsFor = [](int64_t step) {
        const std::string bytes = historyPickle(4, [&](PickleWriter &out) {
            callTimes(100'000, [&](int at) {
                beginEntry(out, "alloc", 0x10000 + 512 * static_cast<uint64_t>(at), 100, step * (at % 60'000));
                out.setItems();
            });
        });
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_TRUE(readWhole(bytes));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    EXPECT_LT(secondsFor(85'229), 20 * secondsFor(1) + 0.1);
}
