// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/pickle_input.h"

#include <algorithm>
#include <cstring>

namespace riffle {

namespace {
constexpr size_t kWindow = 1 << 20;
}

PickleInput::PickleInput(std::span<const char> whole)
    : m_begin(whole.data())
    , m_end(whole.data() + whole.size())
    , m_check(whole.size() > kRoom ? m_end - kRoom : m_begin)
{
}

PickleInput::PickleInput(ByteSource &source)
    : m_source(&source)
    , m_buffer(kWindow)
    , m_begin(m_buffer.data())
    , m_end(m_begin)
    , m_check(m_begin)
{
}

/// Reads on until `count` bytes from `keep` on are available or the source has ended.
void PickleInput::read(const char *keep, uint64_t count)
{
    const auto kept = static_cast<size_t>(m_end - keep);
    m_offset += static_cast<uint64_t>(keep - m_begin);
    std::memmove(m_buffer.data(), keep, kept);
    size_t filled = kept;
    while (filled < count) {
        // The buffer grows with the bytes that arrive, never with a length that the file claims.
        if (filled == m_buffer.size())
            m_buffer.resize(m_buffer.size() * 2);
        const auto got = m_source->read({m_buffer.data() + filled, m_buffer.size() - filled});
        if (!got)
            throw PickleFault{got.error().message, m_offset + filled, got.error().kind};
        if (*got == 0)
            break;
        filled += *got;
    }
    m_begin = m_buffer.data();
    m_end = m_begin + filled;
    m_check = filled > kRoom ? m_end - kRoom : m_begin;
}

void PickleInput::endHere(const char *&at)
{
    const auto rest = static_cast<size_t>(m_end - at);
    m_offset += static_cast<uint64_t>(at - m_begin);
    std::copy_n(at, rest, m_tail);
    m_begin = at = m_tail;
    m_end = m_tail + rest;
    m_check = m_tail;
    m_last = true;
}

bool PickleInput::edge(const char *&at)
{
    if (!m_last) {
        if (m_source) {
            read(at, kWindow / 2);
            at = m_begin;
        }
        if (m_end - at > static_cast<ptrdiff_t>(kRoom))
            return true;
        endHere(at);
    }
    return at < m_end;
}

bool PickleInput::have(const char *&keep, const char *&at, uint64_t count)
{
    if (at <= m_end && static_cast<uint64_t>(m_end - at) >= count)
        return true;
    if (m_last || !m_source)
        return false;
    const auto before = static_cast<size_t>(at - keep);
    if (count > UINT64_MAX - before)
        return false;
    read(keep, before + count);
    keep = m_begin;
    at = keep + before;
    return at <= m_end && static_cast<uint64_t>(m_end - at) >= count;
}

} // namespace riffle
