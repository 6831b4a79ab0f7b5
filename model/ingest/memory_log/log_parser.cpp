// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/log_parser.h"

#include "model/base/ascii.h"
#include "model/ingest/memory_log/layout_reader.h"
#include "model/ingest/memory_log/printed_size.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace riffle {

namespace {

constexpr std::string_view kHeader = "Memory State:";

class LayoutParser {
public:
    LayoutParser(std::string_view text, MemoryLogRank &rank, const Task &task)
        : m_text(text)
        , m_rank(rank)
        , m_task(task)
        , m_layouts(text, rank)
    {
    }

    void run()
    {
        while (m_at < m_text.size()) {
            const size_t begin = m_at;
            readLine();
            if (m_line.empty())
                continue;
            if (m_line == kHeader)
                beginPoint(begin);
            else if (m_rank.points.empty())
                note("Lines before the first state");
            else if (!readOfPoint())
                note("Lines that are not the profiler's");
            if (m_task.stopped())
                return;
        }
        endPoint();
        m_rank.lines = m_number;
        const auto hasNoSize = [](const MemoryLogPoint &last) {
            return last.total == kNotPrinted && std::count(last.parts.begin(), last.parts.end(), kNotPrinted) ==
                                                    static_cast<ptrdiff_t>(kMemoryLogParts);
        };
        if (!m_rank.points.empty() && (m_oddEnd || hasNoSize(m_rank.points.back())))
            m_rank.damage = Error{"The log is cut off: it ends inside a state.", m_rank.path, m_text.size()};
    }

private:
    void readLine()
    {
        const size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        m_begin = m_at;
        m_line = trimmed(m_text.substr(m_at, end - m_at));
        m_isCut = end == m_text.size();
        m_at = end + 1;
        ++m_number;
    }
    void note(const char *what)
    {
        noteTrouble(m_rank.troubles, what, m_begin, m_number);
        m_oddEnd = m_oddEnd || m_isCut;
    }
    MemoryLogPoint &point() { return m_rank.points.back(); }

    void beginPoint(size_t begin)
    {
        endPoint();
        m_rank.points.emplace_back();
        point().line = m_number;
        point().offset = begin;
    }
    void endPoint()
    {
        if (m_rank.points.empty())
            return;
        const MemoryLogPoint &last = point();
        const bool isWhole = last.time != MemoryLogPoint::kNoTime && last.total != kNotPrinted &&
                             std::count(last.parts.begin(), last.parts.end(), kNotPrinted) == 0;
        if (!isWhole)
            noteTrouble(m_rank.troubles, "States without a time or sizes", last.offset, last.line);
        if (m_rank.points.size() > 1 && last.time != MemoryLogPoint::kNoTime &&
            last.time < m_rank.points[m_rank.points.size() - 2].time)
            noteTrouble(m_rank.troubles, "States earlier than the previous one", last.offset, last.line);
    }
    bool readOfPoint()
    {
        if (m_line == "---summary---" || m_line == "---Layout---")
            return true;
        if (m_line.starts_with("time:")) {
            readTime(trimmed(m_line.substr(5)));
            return true;
        }
        if (m_line.ends_with("_layout:")) {
            const auto part = partOfLayout(m_line);
            if (!part)
                return false;
            readLayout(*part);
            return true;
        }
        return m_line.find("_memory:") != m_line.npos && readSizes();
    }
    void readTime(std::string_view text)
    {
        const auto time = secondsToNs(text);
        if (!time)
            return note("Times that are not numbers");
        point().time = *time;
        point().timeText = text;
        if (*time < 0)
            note("Negative times");
    }
    /// Reads a line such as "params_memory: 1.00 MB, grads_memory: 1.00 MB".
    bool readSizes()
    {
        bool known = false;
        std::string_view rest = m_line;
        while (!rest.empty()) {
            const size_t comma = std::min(rest.find(','), rest.size());
            const std::string_view item = trimmed(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
            if (item.empty())
                continue;
            const size_t colon = item.find(':');
            PrintedSize *place = colon == item.npos ? nullptr : placeOf(trimmed(item.substr(0, colon)));
            if (!place) {
                note("Sizes with an unknown name");
                continue;
            }
            known = true;
            switch (parsePrinted(trimmed(item.substr(colon + 1)), *place)) {
            case PrintedTrouble::None: break;
            case PrintedTrouble::NoSize: note("Sizes that are not a number of MB"); break;
            case PrintedTrouble::Impossible: note("Impossible sizes, left out"); break;
            }
        }
        return known;
    }
    PrintedSize *placeOf(std::string_view name)
    {
        constexpr std::string_view kEnd = "_memory";
        if (!name.ends_with(kEnd))
            return nullptr;
        name.remove_suffix(kEnd.size());
        if (name == "total")
            return &point().total;
        for (size_t part = 0; part < kMemoryLogParts; ++part)
            if (name == memoryLogPartWord(static_cast<MemoryLogPart>(part)))
                return &point().parts[part];
        return nullptr;
    }
    static std::optional<MemoryLogPart> partOfLayout(std::string_view line)
    {
        line.remove_suffix(std::string_view("_layout:").size());
        if (line == "activation_base")
            return MemoryLogPart::Activation;
        for (size_t part = 0; part < kMemoryLogParts; ++part)
            if (line == memoryLogPartWord(static_cast<MemoryLogPart>(part)))
                return static_cast<MemoryLogPart>(part);
        return std::nullopt;
    }
    void readLayout(MemoryLogPart part)
    {
        uint32_t &place = point().layouts[static_cast<size_t>(part)];
        if (place != MemoryLogPoint::kNone)
            note("Layouts that occur twice in a state (the later one counts)");
        const LayoutRead read = m_layouts.read(part, std::min(m_at, m_text.size()), m_number);
        place = read.layout;
        m_at = read.end;
        m_number += read.lines;
        m_oddEnd = m_oddEnd || read.isCut;
    }

    std::string_view m_text;
    MemoryLogRank &m_rank;
    const Task &m_task;
    LayoutReader m_layouts;
    size_t m_at = 0;
    size_t m_begin = 0; ///< start of the current line
    std::string_view m_line;
    uint64_t m_number = 0; ///< number of the current line, from 1
    bool m_isCut = false;  ///< no line break follows the current line
    bool m_oddEnd = false; ///< the last line has no line break and is incomplete
};

} // namespace

bool looksLikeMemoryLog(std::string_view head)
{
    const size_t found = head.find(kHeader);
    if (found == head.npos || head.find('\0') != head.npos)
        return false;
    const size_t lineBegin = found == 0 ? 0 : head.rfind('\n', found - 1) + 1; // npos + 1 is 0
    return trimmed(head.substr(lineBegin, found - lineBegin)).empty() &&
           trimmed(head.substr(found + kHeader.size())).starts_with("time:");
}

void parseMemoryLog(std::string_view text, MemoryLogRank &rank, const Task &task)
{
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);
    rank.hasLog = true;
    LayoutParser(text, rank, task).run();
}

} // namespace riffle
