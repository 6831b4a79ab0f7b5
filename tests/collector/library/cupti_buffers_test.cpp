// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_buffers.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>

namespace riffle::collector {
namespace {

constexpr size_t kMany = 1 << 30;

uint8_t *request()
{
    uint8_t *buffer = nullptr;
    size_t size = 0, most = 0;
    CuptiBuffers::requested(&buffer, &size, &most);
    return buffer;
}

TEST(CuptiBuffers, OnlyBuffersWithRecordsAreLate)
{
    CuptiBuffers buffers;
    buffers.begin(kMany, true);
    uint8_t *const empty = request(), *const full = request(), *const back = request();
    const uint32_t kind = 10;
    for (uint8_t *buffer : {full, back})
        std::memcpy(buffer, &kind, sizeof(kind));
    CuptiBuffers::completed(nullptr, 0, back, 0, 8);
    EXPECT_EQ(buffers.atCupti(), 2u);
    EXPECT_TRUE(buffers.owesRecords());
    EXPECT_EQ(buffers.takeLate(), 1u);
    EXPECT_FALSE(buffers.owesRecords());
    EXPECT_EQ(buffers.takeLate(), 0u); // only once
    CuptiBuffers::completed(nullptr, 0, full, 0, 8);
    CuptiBuffers::completed(nullptr, 0, empty, 0, 0);
    EXPECT_EQ(buffers.atCupti(), 0u);
    for (const CuptiBuffers::Buffer &buffer : buffers.takeCompleted())
        buffers.giveBack(buffer);
    // A buffer that is used again is empty again.
    for (int number = 0; number < 3; ++number)
        EXPECT_NE(request(), nullptr);
    EXPECT_EQ(buffers.takeLate(), 0u);
    for (uint8_t *buffer : {empty, full, back}) // CuptiBuffers frees none, because CUPTI may still have them
        std::free(buffer);
}

} // namespace
} // namespace riffle::collector
