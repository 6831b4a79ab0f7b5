// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/plain_source.h"

#include <algorithm>
#include <cstring>

namespace riffle {

namespace {

class PlainText : public SourceText {
public:
    explicit PlainText(std::shared_ptr<const MappedFile> file) : m_file(std::move(file)) {}

    Result<std::string> readText(uint64_t offset, uint32_t length) const override
    {
        if (!within(offset, length, m_file->size()))
            return outOfText(m_file->path(), offset);
        std::string text(reinterpret_cast<const char *>(m_file->data()) + offset, length);
        // Checked after the copy, because a page that is lost during the copy reads as zeros.
        if (m_file->lost())
            return sourceChanged(m_file->path());
        return text;
    }
    std::optional<Error> cut() const override
    {
        return m_file->wasCut() ? std::optional(sourceChanged(m_file->path())) : std::nullopt;
    }
    std::string resumeIndex() const override
    {
        return ResumeIndex::write(ResumeIndex::Container::Plain, m_file->size(), m_file->size(), {});
    }

private:
    std::shared_ptr<const MappedFile> m_file;
};

} // namespace

PlainSource::PlainSource(std::shared_ptr<const MappedFile> file) : m_file(std::move(file)) {}

std::optional<std::span<const char>> PlainSource::mapped() const
{
    return std::span(reinterpret_cast<const char *>(m_file->data()), static_cast<size_t>(m_file->size()));
}

Result<size_t> PlainSource::read(std::span<char> into)
{
    const size_t count = std::min<size_t>(into.size(), m_file->size() - m_position);
    std::copy_n(reinterpret_cast<const char *>(m_file->data()) + m_position, count, into.data());
    if (m_file->lost())
        return sourceChanged(m_file->path());
    m_position += count;
    return count;
}

std::shared_ptr<const SourceText> PlainSource::text() const { return std::make_shared<PlainText>(m_file); }

Result<std::shared_ptr<const SourceText>> openPlainText(std::shared_ptr<const MappedFile> file, const ResumeIndex &)
{
    return std::shared_ptr<const SourceText>(std::make_shared<PlainText>(std::move(file)));
}

} // namespace riffle
