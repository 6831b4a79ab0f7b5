// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_stack_record.h"

#include "collector/src/clock.h"

#include <array>

namespace riffle::collector {

namespace {

constexpr size_t kLongestTable = 32 << 10; ///< bytes of a table of lines; the lines after a cut one are not known

uint64_t twoNumbers(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

std::span<const std::byte> asBytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

} // namespace

bool PythonStackWriter::write(Record record, std::span<const std::span<const std::byte>> parts)
{
    size_t bytes = sizeof(Record);
    for (const auto &part : parts)
        bytes += part.size();
    record.bytes = static_cast<uint32_t>((bytes + 7) / 8 * 8);
    record.time = now();
    std::byte *to = m_ring.claim(record.bytes, m_reserve);
    if (!to) {
        m_lost.add(record.time);
        return false;
    }
    std::memcpy(to, &record, sizeof(record));
    to += sizeof(record);
    for (const auto &part : parts) {
        if (!part.empty())
            std::memcpy(to, part.data(), part.size());
        to += part.size();
    }
    m_ring.commit();
    return true;
}

bool PythonStackWriter::code(const PythonCodeText &text)
{
    const std::string_view name = text.qualifiedName.empty() ? text.name : text.qualifiedName;
    const auto lines = text.lineTable.first(std::min({text.lineTable.size(), kLongestTable, m_ring.capacity() / 8}));
    Record record{};
    record.kind = RecordKind::PythonCode;
    record.payloadKind = static_cast<uint8_t>(m_format);
    record.categoryBytes = static_cast<uint16_t>(name.size()); // the texts are shorter than 4096 bytes
    record.payload = twoNumbers(text.id, static_cast<uint32_t>(text.firstLine));
    record.nameBytes = static_cast<uint32_t>(text.file.size() + lines.size());
    record.color = static_cast<uint32_t>(text.file.size());
    return write(record, std::array{asBytes(text.file), lines, asBytes(name)});
}

bool PythonStackWriter::stack(uint32_t kept, uint32_t omitted, std::span<const PythonPlace> frames)
{
    Record record{};
    record.kind = RecordKind::PythonStack;
    record.payload = twoNumbers(kept, omitted);
    record.nameBytes = static_cast<uint32_t>(frames.size_bytes());
    return write(record, std::array{std::as_bytes(frames)});
}

void readPythonStackRecord(const Record &record, uint32_t thread, std::string_view name, std::string_view category,
                           PythonStackTree &tree)
{
    const auto low = static_cast<uint32_t>(record.payload), high = static_cast<uint32_t>(record.payload >> 32);
    if (record.kind == RecordKind::PythonCode) {
        assert(record.color <= name.size());
        tree.code({low, static_cast<int32_t>(high), category, category, name.substr(0, record.color),
                   asBytes(name.substr(record.color))});
        return;
    }
    std::array<PythonPlace, kMaxPythonFrames> frames;
    const size_t count = std::min(name.size() / sizeof(PythonPlace), frames.size());
    std::memcpy(frames.data(), name.data(), count * sizeof(PythonPlace));
    tree.stack(thread, low, high, std::span(frames).first(count));
}

} // namespace riffle::collector
