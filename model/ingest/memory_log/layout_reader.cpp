// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/layout_reader.h"

#include "model/base/ascii.h"
#include "model/ingest/memory_log/printed_size.h"

#include <algorithm>
#include <string>

namespace riffle {

namespace {

constexpr std::string_view kLayer = "layer:", kOwn = ", layer_mem:", kTotal = ", total_mem:";

std::string_view lineAt(std::string_view text, size_t begin)
{
    return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

} // namespace

void LayoutReader::note(const char *what, uint64_t offset, uint64_t line)
{
    noteTrouble(m_rank.troubles, what, offset, line);
    m_isClean = false;
}

uint32_t LayoutReader::pathId(std::string_view path)
{
    const auto [found, isNew] = m_ids.try_emplace(std::string(path), static_cast<uint32_t>(m_rank.paths.size()));
    if (isNew)
        m_rank.paths.emplace_back(path);
    return found->second;
}

uint32_t LayoutReader::depthOf(std::string_view path, uint32_t id)
{
    const auto holds = [&](const std::string &outer) {
        return path.size() > outer.size() && path[outer.size()] == '.' && path.starts_with(outer);
    };
    while (!m_above.empty() && !holds(m_rank.paths[m_above.back()]))
        m_above.pop_back();
    m_above.push_back(id);
    return static_cast<uint32_t>(m_above.size() - 1);
}

bool LayoutReader::addRow(std::string_view line, MemoryLogLayout &layout, const MemoryLogLayout *before,
                          uint64_t offset, uint64_t number)
{
    const size_t total = line.rfind(kTotal), own = line.rfind(kOwn, total);
    if (total == line.npos || own == line.npos || own >= total) {
        note("Layers without a size", offset, number);
        return false;
    }
    PrintedSize ownSize = kNotPrinted, totalSize = kNotPrinted;
    const std::string_view path = trimmed(line.substr(kLayer.size(), own - kLayer.size()));
    const PrintedTrouble ofOwn =
                             parsePrinted(trimmed(line.substr(own + kOwn.size(), total - own - kOwn.size())), ownSize),
                         ofTotal = parsePrinted(trimmed(line.substr(total + kTotal.size())), totalSize);
    for (const PrintedTrouble trouble : {ofOwn, ofTotal}) {
        if (trouble == PrintedTrouble::NoSize)
            note("Sizes of layers that are not a number of MB", offset, number);
        else if (trouble == PrintedTrouble::Impossible)
            note("Impossible sizes of layers, left out", offset, number);
    }
    // Layouts of one part usually have the same layers, so try the path in the same row of the previous one first.
    const size_t row = layout.paths.size();
    const uint32_t id =
        before && row < before->count() && m_rank.paths[before->paths[row]] == path ? before->paths[row] : pathId(path);
    layout.paths.push_back(id);
    layout.depth.push_back(depthOf(path, id));
    layout.own.push_back(ownSize);
    layout.total.push_back(totalSize);
    return ofTotal != PrintedTrouble::NoSize;
}

bool LayoutReader::isSame(const Last &last, size_t begin) const
{
    if (last.layout == MemoryLogPoint::kNone || last.size == 0 ||
        m_text.substr(begin, last.size) != m_text.substr(last.begin, last.size))
        return false;
    const size_t end = begin + last.size;
    return end <= m_text.size() && !trimmed(lineAt(m_text, std::min(end, m_text.size()))).starts_with(kLayer);
}

LayoutRead LayoutReader::read(MemoryLogPart part, size_t begin, uint64_t line)
{
    Last &last = m_last[static_cast<size_t>(part)];
    if (isSame(last, begin))
        return {last.layout, begin + last.size, last.lines, false};
    const auto layoutNumber = static_cast<uint32_t>(m_rank.layouts.size());
    MemoryLogLayout layout;
    layout.part = part;
    const MemoryLogLayout *before = last.layout == MemoryLogPoint::kNone ? nullptr : &m_rank.layouts[last.layout];
    LayoutRead read{layoutNumber, begin, 0, false};
    m_isClean = true;
    m_above.clear();
    while (read.end < m_text.size()) {
        const std::string_view text = lineAt(m_text, read.end), row = trimmed(text);
        if (!row.starts_with(kLayer))
            break;
        ++read.lines;
        const bool good = addRow(row, layout, before, read.end, line + read.lines);
        const bool isLast = read.end + text.size() == m_text.size();
        read.isCut = isLast && !good;
        read.end += text.size() + (isLast ? 0 : 1);
    }
    m_rank.layouts.push_back(std::move(layout));
    // A layout with problems is read again each time, so that its problems are counted each time.
    if (m_isClean && !read.isCut)
        last = {begin, read.end - begin, read.lines, layoutNumber};
    return read;
}

} // namespace riffle
