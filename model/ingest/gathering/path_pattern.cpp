// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/path_pattern.h"

#include "model/base/natural_order.h"
#include "model/base/utf8.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace riffle {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnyFolders = "**";

/// The code points of a name. A byte that is not UTF-8 is one of its own, which no pattern but a wildcard matches.
std::u32string codePoints(std::string_view text)
{
    std::u32string points;
    for (size_t at = 0; at < text.size();) {
        const auto first = static_cast<unsigned char>(text[at]);
        const size_t length = utf8SequenceLength(text, at);
        char32_t point = length == 0 ? 0x110000 + first : length == 1 ? first : first & (0x7fu >> length);
        for (size_t next = 1; next < length; ++next)
            point = (point << 6) | (static_cast<unsigned char>(text[at + next]) & 0x3fu);
        points += point;
        at += std::max<size_t>(length, 1);
    }
    return points;
}

/// Matches one character with the element of a pattern at `at`. Returns the position behind the element if it matches.
std::optional<size_t> matchOne(std::u32string_view pattern, size_t at, char32_t one)
{
    if (pattern[at] == U'?')
        return at + 1;
    const size_t begin = at + 1;
    const bool isInverted = begin < pattern.size() && (pattern[begin] == U'!' || pattern[begin] == U'^');
    const size_t from = begin + (isInverted ? 1 : 0);
    const size_t end = pattern[at] == U'[' && from < pattern.size() ? pattern.find(U']', from + 1) : pattern.npos;
    if (end == pattern.npos) // no set, or one that is not closed, which stands for itself
        return pattern[at] == one ? std::optional(at + 1) : std::nullopt;
    bool isIn = false;
    for (size_t next = from; next < end; ++next) {
        if (next + 2 < end && pattern[next + 1] == U'-') {
            isIn |= pattern[next] <= one && one <= pattern[next + 2];
            next += 2;
        } else {
            isIn |= pattern[next] == one;
        }
    }
    return isIn != isInverted ? std::optional(end + 1) : std::nullopt;
}

class PatternSearch {
public:
    PatternSearch(size_t mostEntries, const Task &task) : m_mostEntries(mostEntries), m_task(task) {}

    PatternMatches run(const fs::path &pattern)
    {
        std::vector<fs::path> places = {pattern.root_path()};
        std::string before;
        for (const fs::path &part : pattern.relative_path()) {
            const std::string text = part.string();
            const bool isRepeat = text == kAnyFolders && text == before;
            before = text;
            if (isRepeat) // it stands for no other folders than the one before it
                continue;
            m_next.clear();
            m_isNext.clear();
            for (const fs::path &place : places)
                step(place, text);
            places = std::move(m_next);
        }
        for (const fs::path &place : places)
            m_matches.paths.push_back(place.string());
        std::ranges::sort(m_matches.paths, naturallyBefore);
        return std::move(m_matches);
    }

private:
    /// Adds a place for the next part of the pattern, if it is not among them.
    void add(fs::path place)
    {
        if (m_isNext.insert(place.native()).second)
            m_next.push_back(std::move(place));
    }

    /// Adds what a part of the pattern stands for in a folder.
    void step(const fs::path &place, const std::string &part)
    {
        std::error_code failed;
        if (part == kAnyFolders) {
            // The folders in a folder that is among the next places were added with it.
            size_t at = m_next.size();
            for (add(place); at < m_next.size(); ++at) {
                const fs::path folder = m_next[at];
                forEachEntry(folder, [&](const fs::directory_entry &entry) {
                    if (entry.is_directory(failed) && !entry.is_symlink(failed) && !isHidden(entry))
                        add(folder / entry.path().filename());
                });
            }
        } else if (part.empty()) { // a slash at the end: folders alone
            if (fs::is_directory(place, failed))
                add(place);
        } else if (fs::exists(place / part, failed)) { // also one that has the name of a pattern
            add(place / part);
        } else if (isPathPattern(part)) {
            forEachEntry(place, [&](const fs::directory_entry &entry) {
                if (matchesPattern(entry.path().filename().string(), part))
                    add(place / entry.path().filename());
            });
        }
    }

    static bool isHidden(const fs::directory_entry &entry) { return entry.path().filename().native().starts_with('.'); }

    template <typename Visit>
    void forEachEntry(const fs::path &folder, Visit visit)
    {
        std::error_code failed;
        for (fs::directory_iterator it(folder.empty() ? "." : folder, failed), end; !failed && it != end;
             it.increment(failed)) {
            if (m_matches.entries == m_mostEntries || m_task.stopped()) {
                m_matches.isCut = true;
                return;
            }
            ++m_matches.entries;
            visit(*it);
        }
        if (failed && failed != std::errc::not_a_directory)
            m_matches.unread.push_back({folder.string(), failed.message()});
    }

    size_t m_mostEntries;
    const Task &m_task;
    std::vector<fs::path> m_next; ///< where the part of the pattern that is looked at leads to
    std::set<fs::path::string_type> m_isNext;
    PatternMatches m_matches;
};

} // namespace

bool isPathPattern(std::string_view path) { return path.find_first_of("*?[") != path.npos; }

bool matchesPattern(std::string_view name, std::string_view pattern)
{
    if (name.starts_with('.') && !pattern.starts_with('.'))
        return false;
    const std::u32string text = codePoints(name), form = codePoints(pattern);
    size_t at = 0, formAt = 0;
    std::optional<std::pair<size_t, size_t>> star; // behind the last star, and where the text goes on
    while (at < text.size()) {
        if (formAt < form.size() && form[formAt] == U'*') {
            star = {++formAt, at};
            continue;
        }
        const auto behind = formAt < form.size() ? matchOne(form, formAt, text[at]) : std::nullopt;
        if (behind) {
            formAt = *behind;
            ++at;
        } else if (star) {
            formAt = star->first;
            at = ++star->second;
        } else {
            return false;
        }
    }
    return form.find_first_not_of(U'*', formAt) == form.npos;
}

PatternMatches matchesOf(const std::string &pattern, size_t mostEntries, const Task &task)
{
    return PatternSearch(mostEntries, task).run(pattern);
}

} // namespace riffle
