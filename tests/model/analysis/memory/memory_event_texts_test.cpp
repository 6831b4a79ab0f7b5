// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/memory/events/memory_events.h"
#include "model/base/big_vector.h"
#include "tests/model/ingest/cuda_snapshot/read_pickle.h"

#include <algorithm>
#include <random>

namespace riffle {
namespace {

struct Frame {
    std::string name, file;
};

const std::vector<Frame> kFrames = {
    {"forward", "/app/model.py"},      {"前向传播", "/app/模型/层.py"},    {"順伝播", "/app/モデル.py"},
    {"Backward", "/app/autograd.cpp"}, {"損失を計算する", "/app/損失.py"}, {"計算", "/app/util.py"},
    {"step (adam)", "/app/opt im.py"}, {"Прямой", "/app/сеть.py"},         {"naïve_é", "/app/forward.py"},
};

/// One entry as it is written. The expected answer of a filter comes from a look at every text of every entry.
struct Entry {
    std::string action;
    std::vector<uint32_t> frames;
    std::string metadata;

    bool contains(const std::string &text) const
    {
        const auto lower = [](std::string one) {
            for (char &c : one)
                c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; // other bytes stay
            return one;
        };
        const auto has = [&](const std::string &one) { return lower(one).find(lower(text)) != std::string::npos; };
        return has(metadata) || std::any_of(frames.begin(), frames.end(), [&](uint32_t at) {
                   return has(kFrames[at].name) || has(kFrames[at].file);
               });
    }
};

std::vector<Entry> randomEntries(size_t count)
{
    std::mt19937_64 random(7);
    std::vector<std::vector<uint32_t>> stacks(40);
    for (auto &stack : stacks)
        for (size_t depth = random() % 5; depth > 0; --depth)
            stack.push_back(static_cast<uint32_t>(random() % kFrames.size()));
    const std::vector<std::string> metadata = {"", "", "", "第3步", "ステップ 3", "step 3"};
    std::vector<Entry> entries;
    for (size_t at = 0; at < count; ++at)
        entries.push_back({at % 3 == 0   ? "alloc"
                           : at % 3 == 1 ? "free_requested"
                                         : "free_completed",
                           stacks[random() % stacks.size()], metadata[random() % metadata.size()]});
    return entries;
}

std::string written(const std::vector<Entry> &entries)
{
    return test::historyPickle(4, [&](test::PickleWriter &out) {
        for (size_t at = 0; at < entries.size(); ++at) {
            test::beginEntry(out, entries[at].action, 0x7000 + at / 3 * 512, 512);
            out.text("frames");
            out.emptyList();
            out.mark();
            for (const uint32_t frame : entries[at].frames)
                test::writeFrame(out, kFrames[frame].name, kFrames[frame].file, frame);
            out.appends();
            if (!entries[at].metadata.empty()) {
                out.text("user_metadata");
                out.text(entries[at].metadata);
            }
            out.setItems();
        }
    });
}

TEST(MemoryEventTexts, AFilterFindsWhatEveryTextOfEveryEntryHolds)
{
    const std::vector<Entry> entries = randomEntries(6000);
    const auto snapshot = test::readPickle(written(entries));
    ASSERT_TRUE(snapshot) << snapshot.error().text();
    ASSERT_EQ((*snapshot)->events.count(), entries.size());
    const SnapshotFacts facts(*snapshot);
    const auto check = [&](const std::string &filter, const std::vector<std::string> &texts,
                           const std::string &action = {}) {
        BigVector<uint32_t> rows;
        for (uint32_t at = 0; at < entries.size(); ++at)
            if ((action.empty() || entries[at].action == action) &&
                std::all_of(texts.begin(), texts.end(),
                            [&](const std::string &text) { return entries[at].contains(text); }))
                rows.push_back(at);
        const auto parsed = parseMemoryEventFilter(filter);
        ASSERT_TRUE(parsed) << filter;
        EXPECT_EQ(matchingEvents(facts.snapshot(), facts.replay().devices.front(), *parsed), rows) << filter;
        EXPECT_FALSE(rows.empty()) << filter;
        EXPECT_LT(rows.size(), entries.size()) << filter;
    };
    check("前向传播", {"前向传播"});
    check("伝播", {"伝播"}); // the second and third characters of a name
    check("計算", {"計算"}); // a part of two names
    check("損失", {"損失"}); // a part of a function and a file
    check("モデル.py", {"モデル.py"});
    check("模型/层", {"模型/层"});
    check("第3步", {"第3步"}); // a part of metadata
    check("Прямой", {"Прямой"});
    check("é", {"é"});
    check("BACKWARD", {"Backward"});
    check("forward", {"forward"});
    check("forward 計算", {"forward", "計算"});
    check("alloc 順伝播", {"順伝播"}, "alloc");
    check("free_completed \"ステップ 3\" adam", {"ステップ 3", "adam"}, "free_completed");
    check("\"opt im\"", {"opt im"});
    for (const char *nowhere :
         {"传播学", "順伝搬", "モデルー", "ПРЯМОЙ"}) { // letters beyond ASCII are compared as written
        EXPECT_TRUE(
            matchingEvents(facts.snapshot(), facts.replay().devices.front(), *parseMemoryEventFilter(nowhere)).empty())
            << nowhere;
        EXPECT_TRUE(std::none_of(entries.begin(), entries.end(), [&](const Entry &entry) {
            return entry.contains(nowhere);
        })) << nowhere;
    }
}

} // namespace
} // namespace riffle
