// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cupti_buffers.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace riffle::collector {

namespace {

constexpr size_t kBufferBytes = 4 << 20;

/// A record begins with its kind, which is never 0.
uint32_t firstKind(uint8_t *buffer)
{
    return std::atomic_ref(*reinterpret_cast<uint32_t *>(buffer)).load(std::memory_order_relaxed);
}

std::atomic<CuptiBuffers *> g_current{nullptr};

} // namespace

void CuptiBuffers::begin(size_t bytes, bool mayRefuse)
{
    m_limit = std::max(bytes / kBufferBytes, size_t{4});
    m_mayRefuse = mayRefuse;
    g_current.store(this, std::memory_order_release);
}

void CuptiBuffers::requested(uint8_t **buffer, size_t *size, size_t *maxRecords)
{
    *buffer = nullptr;
    *size = *maxRecords = 0;
    CuptiBuffers *self = g_current.load(std::memory_order_acquire);
    if (!self)
        return;
    uint8_t *memory = nullptr;
    bool mayMake = false;
    {
        std::scoped_lock lock(self->m_mutex);
        if (!self->m_free.empty()) {
            memory = self->m_free.back();
            self->m_free.pop_back();
        } else {
            mayMake = self->m_made < self->m_limit || !self->m_mayRefuse;
            self->m_made += mayMake;
        }
    }
    if (!memory && mayMake)
        memory = static_cast<uint8_t *>(std::aligned_alloc(64, kBufferBytes));
    if (!memory) {
        self->m_refused.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    std::memset(memory, 0, sizeof(uint32_t));
    *buffer = memory;
    *size = kBufferBytes;
    std::scoped_lock lock(self->m_mutex);
    self->m_given.push_back({memory, false});
}

void CuptiBuffers::completed(void *, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
    CuptiBuffers *self = g_current.load(std::memory_order_acquire);
    if (!self || !buffer)
        return;
    std::scoped_lock lock(self->m_mutex);
    std::erase_if(self->m_given, [&](const Given &given) { return given.memory == buffer; });
    self->m_completed.push_back({buffer, valid});
}

std::vector<CuptiBuffers::Buffer> CuptiBuffers::takeCompleted()
{
    std::vector<Buffer> completed;
    std::scoped_lock lock(m_mutex);
    completed.swap(m_completed);
    return completed;
}

void CuptiBuffers::giveBack(const Buffer &buffer)
{
    std::scoped_lock lock(m_mutex);
    if (m_made > m_limit) { // allocated beyond the limit because this CUPTI may crash without a buffer
        std::free(buffer.memory);
        --m_made;
    } else {
        m_free.push_back(buffer.memory);
    }
}

size_t CuptiBuffers::atCupti()
{
    std::scoped_lock lock(m_mutex);
    return m_given.size();
}

bool CuptiBuffers::owesRecords()
{
    std::scoped_lock lock(m_mutex);
    return std::any_of(m_given.begin(), m_given.end(),
                       [](const Given &given) { return !given.isLate && firstKind(given.memory) != 0; });
}

size_t CuptiBuffers::takeLate()
{
    std::scoped_lock lock(m_mutex);
    size_t late = 0;
    for (Given &given : m_given)
        if (!given.isLate && firstKind(given.memory) != 0) {
            given.isLate = true;
            ++late;
        }
    return late;
}

} // namespace riffle::collector
