// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"
#include "tests/support/measured_child.h"

using namespace riffle;
using namespace riffle::test;
using namespace std::string_view_literals;

namespace {

/// The fault of a pickle with `bytes` after the header, where a value is expected.
Error faultAt(std::string_view bytes) { return faultOf("\x80\x04" + std::string(bytes)); }

std::string smallSnapshot()
{
    return pickled(4, [](PickleWriter &out) {
        out.emptyDict();
        out.mark();
        out.text("device_traces");
        out.emptyList();
        out.mark();
        for (int device = 0; device < 2; ++device) {
            out.emptyList();
            out.mark();
            for (int at = 0; at < 3; ++at) {
                beginEntry(out, at % 2 ? "free_completed" : "alloc", 0x7f0000000000u + static_cast<uint64_t>(at),
                           1000 + at);
                out.text("frames");
                out.emptyList();
                out.mark();
                writeFrame(out, "f", "/a.py", at);
                writeFrame(out, "g", "/a.py", 300);
                out.appends();
                out.setItems();
            }
            out.appends();
        }
        out.appends();
        out.text("segments");
        out.emptyList();
        out.setItems();
    });
}

} // namespace

TEST(HostilePickle, WhatCallsOrImportsIsRefusedByNameAndPlace)
{
    const std::pair<std::string_view, const char *> kCases[] = {
        {"cos\nsystem\n(X\x02\x00\x00\x00"
         "idtR."sv,
         "GLOBAL"},
        {"\x8C\x02os\x94\x8C\x06system\x94\x93."sv, "STACK_GLOBAL"},
        {"})R."sv, "REDUCE"},
        {"}}b."sv, "BUILD"},
        {"(ios\nsystem\n."sv, "INST"},
        {"(}o."sv, "OBJ"},
        {"})\x81."sv, "NEWOBJ"},
        {"})}\x92."sv, "NEWOBJ_EX"},
        {"Pid\n."sv, "PERSID"},
        {"}Q."sv, "BINPERSID"},
        {"\x82\x01."sv, "EXT1"},
        {"\x83\x01\x00."sv, "EXT2"},
        {"\x84\x01\x00\x00\x00."sv, "EXT4"},
        {"\x97."sv, "NEXT_BUFFER"},
        {"C\x01"
         "a."sv,
         "SHORT_BINBYTES"},
        {"}0."sv, "POP"},
    };
    for (const auto &[bytes, name] : kCases) {
        const Error fault = faultAt(bytes);
        EXPECT_NE(fault.message.find("instruction " + std::string(name) + ","), std::string::npos) << fault.text();
        EXPECT_EQ(fault.kind, ErrorKind::Unreadable);
        ASSERT_TRUE(fault.offset) << name;
        EXPECT_LT(*fault.offset, bytes.size() + 2);
    }
    EXPECT_EQ(faultAt("cos\nsystem\n."sv).offset, 2u);
    EXPECT_EQ(faultAt("})R."sv).offset, 4u);
    EXPECT_NE(faultAt("\xFE."sv).message.find("0xFE"), std::string::npos);
}

TEST(HostilePickle, WhatStoodBeforeIsKept)
{
    std::string bytes = smallSnapshot();
    bytes.resize(bytes.size() - 2); // SETITEMS and STOP
    const auto read = readPickle(bytes + "cos\nsystem\n.");
    ASSERT_TRUE(read) << read.error().text();
    ASSERT_TRUE((*read)->damage);
    EXPECT_NE((*read)->damage->message.find("GLOBAL"), std::string::npos);
    EXPECT_EQ((*read)->damage->offset, bytes.size());
    EXPECT_EQ((*read)->events.count(), 6u);
    EXPECT_EQ((*read)->devices.size(), 2u);
    EXPECT_FALSE((*read)->whole) << "more segments may have followed";
    const auto later = readPickle(bytes + "\x8C\x01xcos\nsystem\n.");
    ASSERT_TRUE(later) << later.error().text();
    EXPECT_FALSE((*later)->whole) << "a key without a value is left out";
    const auto behind = readPickle(bytes + "\x8C\x01xN\x8C\x01ycos\nsystem\n.");
    ASSERT_TRUE(behind && (*behind)->damage);
    EXPECT_TRUE((*behind)->whole);
}

TEST(HostilePickle, CutAnywhere)
{
    const std::string bytes = smallSnapshot();
    const auto whole = readPickle(bytes);
    ASSERT_TRUE(whole && !(*whole)->damage);
    uint32_t most = 0;
    for (size_t length = 1; length < bytes.size(); ++length) {
        const auto read = readPickle(bytes.substr(0, length));
        if (!read) {
            EXPECT_EQ(most, 0u) << "at " << length << ": " << read.error().text();
            EXPECT_LE(read.error().offset.value_or(0), length);
            continue;
        }
        ASSERT_TRUE((*read)->damage) << length;
        EXPECT_NE((*read)->damage->message.find("cut"), std::string::npos) << (*read)->damage->message;
        EXPECT_LE(*(*read)->damage->offset, length);
        const uint32_t count = (*read)->events.count();
        EXPECT_GE(count, most);
        most = count;
        for (uint32_t at = 0; at < count; ++at) {
            EXPECT_EQ((*read)->events.action[at], (*whole)->events.action[at]);
            EXPECT_EQ((*read)->events.size[at], (*whole)->events.size[at]);
            EXPECT_EQ((*read)->events.stack[at], (*whole)->events.stack[at]);
        }
        uint32_t held = 0;
        for (const MemoryDeviceTrace &trace : (*read)->devices)
            held += trace.count;
        EXPECT_EQ(held, count) << "at " << length;
    }
    EXPECT_EQ(most, 6u);
}

/// CPython fills containers of one item without a mark. This concerns the list of the only device, and a snapshot with
/// one key.
TEST(HostilePickle, CutInTheHistoryOfTheOnlyDevice)
{
    for (const bool alone : {false, true}) {
        const std::string bytes = pickled(4, [alone](PickleWriter &out) {
            out.emptyDict();
            if (!alone) {
                out.mark();
                out.text("segments");
                out.emptyList();
            }
            out.text("device_traces");
            out.emptyList();
            out.emptyList();
            out.mark();
            for (int at = 0; at < 50; ++at) {
                beginEntry(out, "alloc", 0x7f0000000000u + static_cast<uint64_t>(at), 1000 + at);
                out.setItems();
            }
            out.appends();
            out.append();
            alone ? out.setItem() : out.setItems();
        });
        const auto whole = readPickle(bytes);
        ASSERT_TRUE(whole);
        ASSERT_EQ((*whole)->devices.at(0).count, 50u);
        uint32_t most = 0;
        for (size_t length = 1; length < bytes.size(); ++length) {
            const auto read = readPickle(bytes.substr(0, length));
            if (!read) {
                EXPECT_EQ(most, 0u) << "at " << length << ": " << read.error().text();
                continue;
            }
            EXPECT_GE((*read)->events.count(), most) << length;
            most = (*read)->events.count();
            if (most > 0) {
                ASSERT_EQ((*read)->devices.size(), 1u) << length;
                EXPECT_EQ((*read)->devices[0].count, most) << length;
                EXPECT_EQ((*read)->oddities.repeatedEntries, 0u) << length;
            }
        }
        EXPECT_EQ(most, 50u);
    }
}

TEST(HostilePickle, ContainersThatHoldThemselves)
{
    for (const std::string_view bytes : {
             "]\x94h\x00"
             "a."sv, // l.append(l)
             "]\x94(h\x00"
             "e."sv,                                     // in a batch
             "}\x94X\x08\x00\x00\x00segmentsh\x00s."sv,  // a dict
             "}\x94(X\x08\x00\x00\x00segmentsh\x00u."sv, //
             "]\x94(]\x94(h\x00"
             "ee."sv, // through another
             "]\x94]\x94h\x00"
             "aa."sv, //
         }) {
        const Error fault = faultAt(bytes);
        EXPECT_TRUE(fault.message.find("contains itself") != std::string::npos ||
                    fault.message.find("complete") != std::string::npos)
            << fault.text();
    }
    // Protocol 0 writes the same containers item by item.
    EXPECT_NE(faultOf("(lp0\ng0\na.").message.find("complete"), std::string::npos);
    EXPECT_NE(faultOf("(dp0\nVsegments\np1\ng0\ns.").message.find("complete"), std::string::npos);
}

TEST(HostilePickle, NumbersThatPromiseMuch)
{
    const std::pair<std::string_view, const char *> kCases[] = {
        {"X\xFF\xFF\xFF\xFF"
         "abc."sv,
         "more than 64 MiB"},
        {"X\xFF\xFF\xFF\x03"
         "abc."sv,
         "fewer follow"},
        {"\x8D\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"
         "abc."sv,
         "more than 64 MiB"},
        {"\x8B\xFF\xFF\xFF\x7F"
         "abc."sv,
         "An integer has 2147483647 bytes"},
        {"\x8B\xFF\xFF\xFF\xFF"
         "abc."sv,
         "negative length"},
        {"\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01."sv, "more than 64 bits"},
        {"\x8A\x09\x00\x00\x00\x00\x00\x00\x00\x00\xFF."sv, "more than 64 bits"},
        {"L99999999999999999999L\n."sv, "more than 64 bits"},
        {"}r\xFF\xFF\xFF\xFF."sv, "Memo number 4294967295"},
        {"j\x00\x00\x00\x10."sv, "was never stored"},
        {"g99999999999\n."sv, "memo number is malformed"},
        {"e."sv, "mark"},
        {"(e."sv, "no list"},
        {"u."sv, "mark"},
        {"}(K\x01u."sv, "key has no value"},
        {"K\x01(K\x02"
         "e."sv,
         "not a list"},
        {"K\x01(K\x02K\x03u."sv, "not a dict"},
        {"s."sv, "more values than there are"},
        {"}(a."sv, "more values than there are"},
        {"\x86."sv, "more values than there are"},
        {"."sv, "is empty"},
        {"}}."sv, "values left over"},
        {"\x94."sv, "no value to store in the memo"},
        {"K\x01\x94."sv, "A number is stored in the memo"},
        {"I1x\n."sv, "An integer is malformed"},
        {"V\\u12\n."sv, "An escape sequence"},
    };
    for (const auto &[bytes, words] : kCases) {
        const Error fault = faultAt(bytes);
        EXPECT_NE(fault.message.find(words), std::string::npos) << fault.text() << " instead of " << words;
        EXPECT_TRUE(fault.offset);
    }
    EXPECT_NE(faultOf("\x80\x06}."sv).message.find("protocol 6"), std::string::npos);
    EXPECT_NE(faultAt("K\x07."sv).message.find("not a memory snapshot"), std::string::npos);
    EXPECT_NE(faultAt("}."sv).message.find("not a memory snapshot"), std::string::npos);
}

TEST(HostilePickle, AddressesOfNineBytesAreNumbersOf64Bits)
{
    const std::string key = "\x8C\x07"
                            "address\x8A\x09";
    const auto read = readPickle("\x80\x04](}(" + key + std::string("\x01\x00\x00\x00\x00\x00\x00\xFF\x00", 9) +
                                 "\x8C\x0Atotal_sizeK\x05ue.");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ((*read)->segments.at(0).address, 0xFF00000000000001u);
}

TEST(HostilePickle, DeepNestingEndsWithAnError)
{
    std::string deep = "\x80\x04";
    for (int at = 0; at < 5'000'000; ++at)
        deep += "](";
    EXPECT_NE(faultOf(deep).message.find("1,000 levels deep"), std::string::npos);
    EXPECT_EQ(faultOf("\x80\x04" + std::string(10'000'000, ']') + ".").kind, ErrorKind::Limit);
}

/// Lists of lists of lists, each ten times as large as the one before: small in the file and in memory, but endless if
/// they are expanded.
TEST(HostilePickle, MemoBombs)
{
    std::string bomb = "\x80\x04}(\x8C\x08segments](K\x01"
                       "e\x94"; // memo 0
    for (int level = 0; level < 60; ++level) {
        bomb += "](";
        for (int at = 0; at < 10; ++at)
            bomb += std::string("h") + static_cast<char>(level);
        bomb += "e\x94"
                "0"; // remembered, then dropped: POP is refused
    }
    EXPECT_NE(faultOf(bomb).message.find("POP"), std::string::npos);

    std::string nested = "\x80\x04}(";
    for (int level = 0; level < 60; ++level) {
        nested += "X\x01" + std::string(3, '\0') + static_cast<char>('A' + level) + "](";
        for (int at = 0; at < 10 && level > 0; ++at)
            nested += std::string("h") + static_cast<char>(level - 1);
        nested += "K\x01"
                  "e\x94";
    }
    const auto measured = bench::measureInChild([&] {
        bench::Measured one;
        one.good = !readPickle(nested + "\x8C\x11"
                                        "allocator_settingsh;\x8C\x08segments]u.");
        return one;
    });
    ASSERT_TRUE(measured);
    EXPECT_LT(measured->peakBytes, uint64_t(32) << 20);
}

TEST(HostilePickleSlow, MemoryIsBoundedByTheFile)
{
    // Two bytes per entry: the smallest dict with an action, fetched over and over, is counted and takes no memory.
    std::string again = "\x80\x04}(\x8C\x0D"
                        "device_traces](](}\x94(\x8C\x06"
                        "action\x8C\x05"
                        "allocK\x01K\x02u";
    for (int at = 0; at < 2'000'000; ++at)
        again += std::string("h\0", 2);
    again += "eeu.";
    // One byte per value: values that no snapshot contains are refused if they take more than four times their size.
    const std::string nones = "\x80\x04}(\x8C\x08segments](" + std::string(40'000'000, 'N') + "eu.";
    const auto measured = bench::measureInChild([&] {
        bench::Measured one;
        ChunkedSource first(again), second(nones);
        const auto repeated = readMemoryPickle(first, "again", {});
        const auto refused = readMemoryPickle(second, "nones", {});
        one.good = repeated && (*repeated)->oddities.repeatedEntries == 1'999'999 + 1 &&
                   (*repeated)->events.count() == 1 && !refused && refused.error().kind == ErrorKind::Limit;
        one.number = repeated ? (*repeated)->oddities.repeatedEntries : 0;
        return one;
    });
    ASSERT_TRUE(measured);
    EXPECT_TRUE(measured->good) << measured->number;
    EXPECT_LT(measured->peakBytes, uint64_t(400) << 20);
}
