// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"
#include "tests/model/ingest/cuda_snapshot/stack_text.h"
#include "tests/support/archives.h"
#include "tests/support/snapshot_generator.h"

using namespace riffle;
using namespace riffle::test;
using namespace std::string_view_literals;

namespace {

/// Two entries that share a stack, a third with its own list of the same frames, and one without frames.
void writeSharedStacks(PickleWriter &out)
{
    beginEntry(out, "alloc", 0x7f0012345600, 1000, 1276474240);
    out.text("time_us");
    out.integer(1757253256155548);
    out.text("frames");
    out.emptyList();
    const uint32_t list = out.lastMemo();
    out.mark();
    writeFrame(out, "forward", "/a.py", 70000);
    writeFrame(out, "main", "/b.py", 3);
    out.appends();
    out.setItems();

    beginEntry(out, "free_requested", 0x7f0012345600, 1000);
    out.text("frames");
    out.get(list);
    out.setItems();

    beginEntry(out, "free_completed", 0x7f0012345600, 1000);
    out.text("frames");
    out.emptyList();
    out.mark();
    writeFrame(out, "forward", "/a.py", 70000);
    writeFrame(out, "main", "/b.py", 3);
    out.appends();
    out.setItems();

    beginEntry(out, "snapshot", 0, 0);
    out.setItems();
}

} // namespace

class SnapshotReadingOfProtocol : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Protocols, SnapshotReadingOfProtocol, testing::Values(2, 3, 4, 5));

TEST_P(SnapshotReadingOfProtocol, EntriesBecomeRowsAndShareTheirStacks)
{
    const auto read = readPickle(historyPickle(GetParam(), writeSharedStacks));
    ASSERT_TRUE(read) << read.error().text();
    const MemorySnapshot &snapshot = **read;
    EXPECT_EQ(snapshot.protocol, GetParam());
    EXPECT_FALSE(snapshot.damage);
    ASSERT_EQ(snapshot.events.count(), 4u);
    EXPECT_EQ(snapshot.events.action[0], MemoryAction::Alloc);
    EXPECT_EQ(snapshot.events.action[1], MemoryAction::FreeRequested);
    EXPECT_EQ(snapshot.events.action[2], MemoryAction::FreeCompleted);
    EXPECT_EQ(snapshot.events.action[3], MemoryAction::Snapshot);
    EXPECT_EQ(snapshot.events.address[0], 0x7f0012345600u);
    EXPECT_EQ(snapshot.events.size[0], 1000);
    EXPECT_EQ(snapshot.streams[snapshot.events.stream[0]], 1276474240);
    EXPECT_EQ(snapshot.streams[snapshot.events.stream[1]], 0);
    EXPECT_EQ(snapshot.events.time[0], 1757253256155548000);
    EXPECT_EQ(snapshot.events.time[1], MemoryEventTable::kNoTime);
    EXPECT_EQ(stackText(snapshot, snapshot.events.stack[0]), "forward@/a.py:70000 < main@/b.py:3");
    EXPECT_EQ(snapshot.events.stack[1], snapshot.events.stack[0]);
    EXPECT_EQ(snapshot.events.stack[2], snapshot.events.stack[0]);
    EXPECT_EQ(snapshot.events.stack[3], 0u);
    EXPECT_EQ(snapshot.stacks.count(), 2u);
    EXPECT_EQ(snapshot.frames.size(), 2u);
    EXPECT_TRUE(snapshot.events.pool.empty());
    EXPECT_TRUE(snapshot.events.metadata.empty());
    ASSERT_EQ(snapshot.devices.size(), 1u);
    EXPECT_EQ(snapshot.devices[0].first, 0u);
    EXPECT_EQ(snapshot.devices[0].count, 4u);
}

// The output of CPython 3.11's pickle.dumps(…, 0) and (…, 1) for {'segments': [], 'device_traces': [[alloc,
// free_completed], []], 'x': (1, 2, 3), 'ok': True, 'n': None, 'f': 0.5, 'neg': -70000}, where both entries share the
// list [{'name': 'f', 'filename': '/a.py', 'line': 3}].
constexpr std::string_view kProtocol0 =
    "(dp0\nVsegments\np1\n(lp2\nsVdevice_traces\np3\n(lp4\n(lp5\n("
    "dp6\nVaction\np7\nValloc\np8\nsVaddr\np9\nL140000000000000L\nsVsize\np10\nI512\n"
    "sVstream\np11\nI0\nsVframes\np12\n(lp13\n(dp14\nVname\np15\nVf\np16\nsVfilename\np17\nV/"
    "a.py\np18\nsVline\np19\nI3\nsasa(dp20\ng7\n"
    "Vfree_completed\np21\nsg9\nL140000000000000L\nsg10\nI512\nsg11\nI0\nsg12\ng13\nsaa(lp22\nasVx\np23\n("
    "I1\nI2\nI3\ntp24\nsVok\np25\nI01\n"
    "sVn\np26\nNsg16\nF0.5\nsVneg\np27\nI-70000\ns.";
constexpr std::string_view kProtocol1 =
    "}q\x00(X\x08\x00\x00\x00segmentsq\x01]q\x02X\r\x00\x00\x00"
    "device_tracesq\x03]q\x04(]q\x05(}q\x06(X\x06\x00\x00\x00"
    "actionq\x07X\x05\x00\x00\x00"
    "allocq\x08X\x04\x00\x00\x00"
    "addrq\tL140000000000000L\nX\x04\x00\x00\x00sizeq\nM\x00\x02X\x06\x00\x00\x00streamq\x0bK\x00X\x06\x00\x00\x00"
    "framesq\x0c]q\r}q\x0e(X\x04\x00\x00\x00nameq\x0fX\x01\x00\x00\x00"
    "fq\x10X\x08\x00\x00\x00"
    "filenameq\x11X\x05\x00\x00\x00/a.pyq\x12X\x04\x00\x00\x00lineq\x13K\x03uau}q\x14(h\x07X\x0e\x00\x00\x00"
    "free_completedq\x15h\tL140000000000000L\nh\nM\x00\x02"
    "h\x0bK\x00h\x0ch\rue]q\x16"
    "eX\x01\x00\x00\x00xq\x17(K\x01K\x02K\x03tq\x18X\x02\x00\x00\x00okq\x19I01\nX\x01\x00\x00\x00nq\x1aNh\x10G?"
    "\xe0\x00\x00\x00\x00\x00\x00X\x03\x00\x00\x00negq\x1bJ\x90\xee\xfe\xff"
    "u."sv;

TEST(SnapshotReading, OldProtocols)
{
    for (const std::string_view bytes : {kProtocol0, kProtocol1}) {
        const auto read = readPickle(bytes);
        ASSERT_TRUE(read) << read.error().text();
        const MemorySnapshot &snapshot = **read;
        EXPECT_FALSE(snapshot.damage);
        ASSERT_EQ(snapshot.events.count(), 2u);
        EXPECT_EQ(snapshot.events.action[1], MemoryAction::FreeCompleted);
        EXPECT_EQ(snapshot.events.address[0], 140000000000000u);
        EXPECT_EQ(snapshot.events.size[1], 512);
        EXPECT_EQ(stackText(snapshot, snapshot.events.stack[0]), "f@/a.py:3");
        EXPECT_EQ(snapshot.events.stack[1], snapshot.events.stack[0]);
        ASSERT_EQ(snapshot.devices.size(), 2u);
        EXPECT_EQ(snapshot.devices[0].count, 2u);
        EXPECT_EQ(snapshot.devices[1].count, 0u);
        EXPECT_EQ(snapshot.oddities.otherKeys, (std::vector<std::string>{"x", "ok", "n", "f", "neg"}));
    }
}

/// torch's C++ pickler puts only values that are used again into the memo, and only when they are complete. It writes
/// integers of 8 bytes, and one batch.
TEST(SnapshotReading, AsTheCppPicklerWrites)
{
    const auto text = [](std::string_view letters) {
        const auto size = static_cast<uint32_t>(letters.size());
        return "X" + std::string(reinterpret_cast<const char *>(&size), 4) + std::string(letters);
    };
    const std::string entry = "}(" + text("action") + text("alloc") + text("addr") + "\x8A\x08" +
                              std::string("\x00\x00\x00\x00\x00\x00\x00\xF0", 8) + text("size") + "\x8A\x08" +
                              std::string("\x00\x00\x00\x00\x01\x00\x00\x00", 8) + text("frames");
    const std::string stack =
        "](}(" + text("name") + text("f") + text("filename") + text("/a.py") + text("line") + "K\x09ueq\x05";
    const auto read = readPickle("\x80\x02}(" + text("segments") + "](e" + text("device_traces") + "](](" + entry +
                                 stack + "u" + entry + "h\x05ueeu.");
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_FALSE((*read)->damage) << (*read)->damage->text();
    ASSERT_EQ((*read)->events.count(), 2u);
    EXPECT_EQ((*read)->events.address[0], 0xF000000000000000u);
    EXPECT_EQ((*read)->events.size[0], int64_t(1) << 32);
    EXPECT_EQ(stackText(**read, (*read)->events.stack[1]), "f@/a.py:9");
}

TEST(SnapshotReading, ListsOfMoreThanABatch)
{
    constexpr int kEntries = 2500, kFrames = 1700;
    const auto read = readPickle(historyPickle(4, [](PickleWriter &out) {
        uint32_t list = 0;
        for (int at = 0; at < kEntries; ++at) {
            if (at && at % 1000 == 0) {
                out.appends();
                out.mark();
            }
            beginEntry(out, "alloc", static_cast<uint64_t>(at), at);
            out.text("frames");
            if (at == 0) {
                out.emptyList();
                list = out.lastMemo();
                out.mark();
                for (int frame = 0; frame < kFrames; ++frame) {
                    if (frame == 1000) {
                        out.appends();
                        out.mark();
                    }
                    writeFrame(out, "recursive", "/a.py", frame);
                }
                out.appends();
                // In the same dict, where the list is complete although no container has taken it.
                out.text("forward_frames");
                out.get(list);
            } else {
                out.get(list);
            }
            out.setItems();
        }
    }));
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_FALSE((*read)->damage) << (*read)->damage->text();
    EXPECT_EQ((*read)->events.count(), static_cast<uint32_t>(kEntries));
    EXPECT_EQ((*read)->devices[0].count, static_cast<uint32_t>(kEntries));
    EXPECT_EQ((*read)->events.size[kEntries - 1], kEntries - 1);
    EXPECT_EQ((*read)->stacks.count(), 2u);
    EXPECT_EQ((*read)->stacks.at(1).size(), static_cast<size_t>(kFrames));
    EXPECT_EQ((*read)->events.stack[kEntries - 1], 1u);
    EXPECT_EQ((*read)->events.forwardStack[0], 1u);
    EXPECT_EQ((*read)->frames[(*read)->stacks.at(1)[1234]].line, 1234);
}

TEST(SnapshotReading, InGzipZstdAndPages)
{
    std::string bytes;
    SnapshotOptions options;
    options.entries = 3000;
    options.annotated = true;
    const SnapshotTruth truth = generateSnapshot(options, [&](std::string_view piece) { bytes += piece; });
    const TemporaryFolder folder;
    writeFile(folder.file("plain"), bytes);
    writeFile(folder.file("gz"), gzipped(bytes));
    writeFile(folder.file("zst"), zstdCompressed(bytes));
    std::string base64;
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < bytes.size(); at += 3) {
        uint32_t bits = 0;
        for (size_t byte = 0; byte < 3; ++byte)
            bits = bits << 8 | (at + byte < bytes.size() ? static_cast<uint8_t>(bytes[at + byte]) : 0);
        for (int digit = 3; digit >= 0; --digit)
            base64 += at + static_cast<size_t>(3 - digit) > bytes.size() ? '=' : kDigits[bits >> (6 * digit) & 63];
    }
    writeFile(folder.file("html"),
              "\n<!DOCTYPE html>\n<script>\nconst local_files = [{\"name\": \"a\", \"base64\": \"" + base64 +
                  "\"}]\n</script>");
    const auto plain = readMemorySnapshot(folder.file("plain"), {}, {});
    ASSERT_TRUE(plain) << plain.error().text();
    EXPECT_EQ((*plain)->container, "pickle");
    EXPECT_EQ((*plain)->events.count(), 3000u);
    EXPECT_EQ((*plain)->pickleBytes, bytes.size());
    EXPECT_EQ(snapshotProblem(**plain), "");
    uint64_t allocs = 0;
    for (const MemoryAction action : (*plain)->events.action)
        allocs += action == MemoryAction::Alloc;
    EXPECT_EQ(allocs, truth.allocs);
    for (const auto &[name, container] :
         {std::pair("gz", "pickle in gzip"), std::pair("zst", "pickle in zstd"), std::pair("html", "pickle in HTML")}) {
        const auto read = readMemorySnapshot(folder.file(name), {}, {});
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_EQ((*read)->container, container);
        EXPECT_EQ(snapshotDifference(**plain, **read), "") << name;
    }
    writeFile(folder.file("page"), "<html>nothing</html>");
    EXPECT_NE(readMemorySnapshot(folder.file("page"), {}, {}).error().message.find("no snapshot"), std::string::npos);
    writeFile(folder.file("json"), "{\"traceEvents\": []}");
    EXPECT_NE(readMemorySnapshot(folder.file("json"), {}, {}).error().message.find("summary --view memory"),
              std::string::npos);
}
