// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/parallel_coordinates.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

namespace riffle {

namespace {

/// Data, tensor, pipeline, expert, context and sequence parallel; tensor and data parallel of experts; context parallel
/// of decoding.
constexpr std::array<std::string_view, 9> kAxes{"dp", "tp", "pp", "ep", "cp", "sp", "etp", "edp", "dcp"};
constexpr std::string_view kRank = "rank";
constexpr uint32_t kMostRanks = 1u << 24;

bool isLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

/// Reads the words of a name that are followed by a number, with at most one separator between: "dp0", "DP-0", "dp_0".
class NumberedWords {
public:
    explicit NumberedWords(std::string_view name) : m_name(name) {}
    /// Moves to the next word with a number; false if there is none.
    bool next()
    {
        while (m_at < m_name.size()) {
            if (!isLetter(m_name[m_at])) {
                ++m_at;
                continue;
            }
            word.clear();
            const bool isPart = m_at > 0 && isDigit(m_name[m_at - 1]); // as in "2tp0"
            for (; m_at < m_name.size() && isLetter(m_name[m_at]); ++m_at)
                word += static_cast<char>(std::tolower(static_cast<unsigned char>(m_name[m_at])));
            size_t from = m_at;
            if (from < m_name.size() && std::string_view("_-=").find(m_name[from]) != std::string_view::npos)
                ++from;
            isApart = from > m_at;
            const size_t end = std::min(m_name.find_first_not_of("0123456789", from), m_name.size());
            if (isPart || end == from || (end < m_name.size() && isLetter(m_name[end])))
                continue;
            const auto read = std::from_chars(m_name.data() + from, m_name.data() + end, number);
            m_at = end;
            if (read.ec == std::errc() && number < kMostRanks)
                return true;
        }
        return false;
    }

    std::string word; ///< in small letters
    uint32_t number = 0;
    bool isApart = false; ///< a separator is between them

private:
    std::string_view m_name;
    size_t m_at = 0;
};

struct CoordinatesOfName {
    std::vector<ParallelCoordinate> coordinates;
    bool tellsRank = false;
    bool areApart = true; ///< from their numbers
};

CoordinatesOfName coordinatesIn(std::string_view name)
{
    CoordinatesOfName found;
    std::vector<std::string> unclear;
    for (NumberedWords words(name); words.next();) {
        found.tellsRank |= words.word == kRank;
        if (std::ranges::find(kAxes, words.word) == kAxes.end())
            continue;
        found.areApart &= words.isApart;
        const auto known = std::ranges::find(found.coordinates, words.word, &ParallelCoordinate::axis);
        if (known == found.coordinates.end())
            found.coordinates.push_back({words.word, words.number});
        else if (known->index != words.number)
            unclear.push_back(words.word);
    }
    std::erase_if(found.coordinates, [&](const ParallelCoordinate &coordinate) {
        return std::ranges::find(unclear, coordinate.axis) != unclear.end();
    });
    return found;
}

} // namespace

std::vector<ParallelCoordinate> coordinatesInName(std::string_view path)
{
    for (bool isFile = true; !path.empty(); isFile = false) {
        const size_t slash = path.rfind('/');
        CoordinatesOfName found = coordinatesIn(path.substr(slash == path.npos ? 0 : slash + 1));
        if (!found.coordinates.empty() && (found.tellsRank || (isFile && found.areApart)))
            return std::move(found.coordinates);
        path = path.substr(0, slash == path.npos ? 0 : slash);
    }
    return {};
}

std::string coordinatesText(const std::vector<ParallelCoordinate> &coordinates)
{
    std::string text;
    for (const ParallelCoordinate &coordinate : coordinates)
        text += (text.empty() ? "" : ", ") + coordinate.axis + " " + std::to_string(coordinate.index);
    return text;
}

} // namespace riffle
