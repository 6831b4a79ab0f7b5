// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chunked_source.h"

#include <algorithm>

namespace riffle::test {

namespace {

class HeldText : public SourceText {
public:
    HeldText(std::shared_ptr<char[]> text, size_t size) : m_text(std::move(text)), m_size(size) {}

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        if (offset > m_size || length > m_size - offset)
            return Error{"out of range", {}, offset};
        return std::string(m_text.get() + offset, length);
    }

private:
    std::shared_ptr<char[]> m_text;
    size_t m_size;
};

} // namespace

ChunkedSource::ChunkedSource(std::string_view text, size_t chunk)
    : m_text(new char[text.size()])
    , m_size(text.size())
    , m_chunk(chunk)
{
    std::copy(text.begin(), text.end(), m_text.get());
}

std::function<Result<std::unique_ptr<ByteSource>>()> ChunkedSource::opener(std::string_view text, size_t chunk)
{
    return [text, chunk]() -> Result<std::unique_ptr<ByteSource>> {
        return std::unique_ptr<ByteSource>(std::make_unique<ChunkedSource>(text, chunk));
    };
}

std::optional<std::span<const char>> ChunkedSource::mapped() const
{
    if (m_chunk)
        return std::nullopt;
    return std::span<const char>(m_text.get(), m_size);
}

Result<size_t> ChunkedSource::read(std::span<char> into)
{
    if (onRead)
        if (std::optional<Error> error = onRead(m_position))
            return *error;
    const size_t count = std::min({into.size(), m_chunk ? m_chunk : m_size, m_size - m_position});
    std::copy_n(m_text.get() + m_position, count, into.data());
    m_position += count;
    return count;
}

std::shared_ptr<const SourceText> ChunkedSource::text() const { return std::make_shared<HeldText>(m_text, m_size); }

} // namespace riffle::test
