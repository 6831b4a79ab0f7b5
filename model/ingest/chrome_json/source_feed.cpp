// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/source_feed.h"

namespace riffle {

SourceFeed::SourceFeed(ByteSource &source) : m_source(source)
{
    if (const auto mapped = source.mapped()) {
        m_mapped = true;
        m_ended = true;
        m_text = {mapped->data(), mapped->size()};
    }
}

void SourceFeed::consume(size_t bytes)
{
    m_text.remove_prefix(bytes);
    m_offset += bytes;
    m_consumed += bytes;
}

bool SourceFeed::more(size_t bytes)
{
    if (m_ended)
        return false;
    m_buffer.erase(0, m_consumed);
    m_consumed = 0;
    const size_t before = m_buffer.size();
    m_buffer.resize(before + bytes);
    size_t filled = 0;
    while (filled < bytes) {
        const auto got = m_source.read({m_buffer.data() + before + filled, bytes - filled});
        if (!got) {
            m_error = got.error();
            m_ended = true;
            break;
        }
        if (*got == 0) {
            m_ended = true;
            break;
        }
        filled += *got;
    }
    m_buffer.resize(before + filled);
    m_text = m_buffer;
    return filled > 0;
}

void SourceFeed::giveBack(std::string text, uint64_t offset)
{
    m_buffer = std::move(text);
    m_consumed = 0;
    m_text = m_buffer;
    m_offset = offset;
}

std::string SourceFeed::takeAll()
{
    m_buffer.erase(0, m_consumed);
    m_consumed = 0;
    m_offset += m_buffer.size();
    m_text = {};
    return std::move(m_buffer);
}

} // namespace riffle
