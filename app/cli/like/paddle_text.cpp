// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/like/paddle_text.h"

#include "app/cli/text_width.h"

#include <fmt/format.h>

#include <algorithm>

namespace riffle::cli {

namespace {

constexpr size_t kGap = 2; ///< spaces between columns

std::string joined(const std::vector<std::string> &cells, const std::vector<size_t> &widths)
{
    std::string line;
    for (size_t at = 0; at < cells.size(); ++at)
        line += cells[at] + std::string(widths[at] + kGap - std::min(widths[at], lengthOf(cells[at])), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string titled(const std::string &title, size_t length)
{
    const size_t dashes = length - std::min(length, lengthOf(title));
    return std::string(dashes / 2, '-') + title + std::string(dashes - dashes / 2, '-') + "\n";
}

} // namespace

PaddleUnit::PaddleUnit(std::string word) : m_word(std::move(word))
{
    m_ns = m_word == "s" ? 1e9 : m_word == "ms" ? 1e6 : m_word == "us" ? 1e3 : 1;
}

std::string PaddleUnit::quotient(Ns time, int64_t count) const
{
    return fmt::format("{:.2f}", static_cast<double>(time) / static_cast<double>(std::max<int64_t>(count, 1)) / m_ns);
}

std::string paddlePercent(double share) { return fmt::format("{:.2f}", share * 100); }

std::string paddleKernelName(const std::string &name, size_t width)
{
    // Cut after the last '>' that is followed by parameters.
    std::string shown = name;
    if (const size_t open = name.find('<', 1); open != name.npos)
        for (size_t at = name.rfind(">("); at != name.npos && at > open; at = name.rfind(">(", at - 1))
            if (name.find(')', at + 2) != name.npos) {
                shown = name.substr(0, at + 1);
                break;
            }
    return lengthOf(shown) > width ? firstOf(shown, width - 3) + "..." : shown;
}

std::string paddleInnerName(const std::string &name, size_t width)
{
    return lengthOf(name) > width ? firstOf(name, width - 3) + "..." : name;
}

std::vector<size_t> PaddleTable::widths() const
{
    std::vector<size_t> widths;
    for (size_t at = 0; at < m_columns.size(); ++at) {
        const PaddleColumn &column = m_columns[at];
        widths.push_back(column.width);
        if (at == 0 && column.width != column.title.size())
            continue; // names that are too long push the other columns to the right instead
        for (const Line &line : m_lines)
            if (line.kind == Kind::Cells)
                widths.back() = std::max(widths.back(), lengthOf(line.cells[at]));
    }
    return widths;
}

std::string PaddleTable::print(const std::string &unit, const std::string &above) const
{
    const std::vector<size_t> columns = widths();
    std::vector<std::string> headers, dashes;
    size_t length = kGap * (columns.size() - 1);
    for (size_t at = 0; at < columns.size(); ++at) {
        headers.push_back(m_columns[at].title);
        dashes.emplace_back(columns[at], '-');
        length += columns[at];
    }
    const std::string rule = joined(dashes, columns);
    std::string text = titled(m_title, length) + above;
    if (!unit.empty())
        text += "Time unit: " + unit + "\n";
    text += rule + joined(headers, columns) + rule;
    for (const Line &line : m_lines)
        text += line.kind == Kind::Cells    ? joined(line.cells, columns)
                : line.kind == Kind::Header ? rule + joined(line.cells, columns) + rule
                                            : titled(line.cells.front(), length);
    return text + rule;
}

} // namespace riffle::cli
