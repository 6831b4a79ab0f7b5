// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/ring.h"

#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace riffle::collector {
namespace {

struct Message {
    uint32_t bytes;
    uint32_t number;
};

TEST(Ring, RecordsOfAnySizeComeWholeAndInOrder)
{
    Ring *ring = Ring::create(1 << 16);
    ASSERT_NE(ring, nullptr);
    constexpr uint32_t kMessages = 200'000;
    std::thread producer([&] {
        std::mt19937 random(3);
        for (uint32_t number = 0; number < kMessages;) {
            const auto bytes = static_cast<uint32_t>(sizeof(Message) + random() % 500 * 8);
            std::byte *to = ring->claim(bytes, 0);
            if (!to) {
                std::this_thread::yield();
                continue;
            }
            const Message message{bytes, number++};
            std::memset(to, static_cast<int>(message.number & 0xFF), bytes);
            std::memcpy(to, &message, sizeof(message));
            ring->commit();
        }
    });
    uint32_t expected = 0;
    bool whole = true;
    while (expected < kMessages)
        ring->drain([&](const std::byte *record) {
            Message message{};
            std::memcpy(&message, record, sizeof(message));
            whole &= message.number == expected++;
            for (size_t at = sizeof(message); at < message.bytes; ++at)
                whole &= record[at] == static_cast<std::byte>(message.number & 0xFF);
        });
    producer.join();
    EXPECT_TRUE(whole);
    ring->destroy();
}

TEST(Ring, KeepsWhatIsReserved)
{
    Ring *ring = Ring::create(1 << 16);
    ASSERT_NE(ring, nullptr);
    size_t records = 0;
    while (std::byte *to = ring->claim(64, 1024)) {
        const uint32_t bytes = 64;
        std::memcpy(to, &bytes, sizeof(bytes));
        ring->commit();
        ++records;
    }
    EXPECT_EQ(records, ((1 << 16) - 1024) / 64);
    EXPECT_NE(ring->claim(1024, 0), nullptr);
    ring->destroy();
}

} // namespace
} // namespace riffle::collector
