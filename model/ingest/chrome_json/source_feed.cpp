// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/source_feed.h"

#include <cassert>

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

size_t SourceFeed::readInto(std::span<char> into)
{
    size_t filled = 0;
    while (filled < into.size() && !m_ended) {
        const auto got = m_source.read(into.subspan(filled));
        if (!got)
            m_error = got.error();
        m_ended = !got || *got == 0;
        filled += got ? *got : 0;
    }
    return filled;
}

bool SourceFeed::more(size_t bytes)
{
    if (m_ended)
        return false;
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_consumed));
    m_consumed = 0;
    const size_t before = m_buffer.size();
    m_buffer.resize(before + bytes);
    const size_t filled = readInto(std::span(m_buffer).subspan(before));
    m_buffer.resize(before + filled);
    m_text = {m_buffer.data(), m_buffer.size()};
    return filled > 0;
}

void SourceFeed::giveBack(TextBuffer text, uint64_t offset)
{
    assert(!m_mapped); // mapped text is never taken out
    m_buffer = std::move(text);
    m_consumed = 0;
    m_text = {m_buffer.data(), m_buffer.size()};
    m_offset = offset;
}

TextBuffer SourceFeed::takeAll()
{
    assert(!m_mapped && m_consumed <= m_buffer.size());
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(m_consumed));
    m_consumed = 0;
    m_offset += m_buffer.size();
    m_text = {};
    return std::move(m_buffer);
}

} // namespace riffle
