// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/byte_sink.h"

#include <utility>

namespace riffle::test {

ByteSink::ByteSink(Drain drain) : m_drain(std::move(drain)), m_buffer(std::make_unique<char[]>(kCapacity)) {}

ByteSink::~ByteSink() { flush(); }

ByteSink::Drain ByteSink::toFile(std::FILE *file)
{
    return [file](std::string_view bytes) { return std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size(); };
}

ByteSink::Drain ByteSink::toString(std::string &text)
{
    return [&text](std::string_view bytes) {
        text.append(bytes);
        return true;
    };
}

ByteSink::Drain ByteSink::toNowhere()
{
    return [](std::string_view) { return true; };
}

void ByteSink::flush()
{
    if (m_used == 0)
        return;
    if (!m_drain({m_buffer.get(), m_used}))
        m_failed = true;
    m_drained += m_used;
    m_used = 0;
}

void ByteSink::spill(std::string_view bytes)
{
    flush();
    if (bytes.size() <= kCapacity) {
        text(bytes);
        return;
    }
    if (!m_drain(bytes))
        m_failed = true;
    m_drained += bytes.size();
}

} // namespace riffle::test
