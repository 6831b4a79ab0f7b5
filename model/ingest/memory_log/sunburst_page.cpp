// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/memory_log/sunburst_page.h"

#include "model/base/ascii.h"

#include <simdjson.h>

#include <algorithm>
#include <optional>

namespace riffle {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;

constexpr uint32_t kDeepest = 256;
constexpr int64_t kMostMegabytes = int64_t(1) << 30;

/// Returns the text of the JSON value that starts at a bracket; empty if it has no end.
std::string_view bracketed(std::string_view text, size_t begin)
{
    uint64_t depth = 0;
    bool inString = false;
    for (size_t at = begin; at < text.size(); ++at) {
        const char c = text[at];
        if (inString) {
            if (c == '\\')
                ++at;
            else if (c == '"')
                inString = false;
            continue;
        }
        inString = c == '"';
        depth += c == '[' || c == '{';
        if ((c == ']' || c == '}') && --depth == 0)
            return text.substr(begin, at + 1 - begin);
    }
    return {};
}

/// Returns the position of the value after a key and its colon.
std::optional<size_t> behindKey(std::string_view text, std::string_view key, size_t from)
{
    const std::string quoted = '"' + std::string(key) + '"';
    for (size_t found = text.find(quoted, from); found != text.npos; found = text.find(quoted, found + quoted.size())) {
        const size_t at = text.find_first_not_of(" \t\r\n", found + quoted.size());
        if (at == text.npos || text[at] != ':')
            continue;
        const size_t value = text.find_first_not_of(" \t\r\n", at + 1);
        return value == text.npos ? std::nullopt : std::optional(value);
    }
    return std::nullopt;
}

/// Returns where the data of the sunburst series starts.
std::optional<size_t> findData(std::string_view html)
{
    const auto series = behindKey(html, "series", 0);
    size_t at = series.value_or(0);
    for (;;) {
        const auto type = behindKey(html, "type", at);
        if (!type)
            return std::nullopt;
        if (html.substr(*type).starts_with("\"sunburst\"")) {
            const auto data = behindKey(html, "data", *type);
            return data && html[*data] == '[' ? data : std::nullopt;
        }
        at = *type;
    }
}

/// Appends the nodes of a list and everything inside them. The size of a node is its value, or the sum of its children
/// if it has no value. Returns false if a node is not valid.
bool addNodes(const array &nodes, uint32_t depth, MemoryLogPage &page)
{
    if (depth > kDeepest)
        return false;
    for (const element node : nodes) {
        std::string_view name;
        if (!node.is_object() || node["name"].get(name))
            return false;
        const size_t row = page.names.size();
        page.names.emplace_back(name);
        page.depth.push_back(depth);
        page.megabytes.push_back(0);
        array children;
        const bool hasChildren = !node["children"].get(children);
        if (hasChildren && !addNodes(children, depth + 1, page))
            return false;
        int64_t value = 0;
        if (element given; !node["value"].get(given) && !given.is_null()) {
            double fraction = 0;
            if (given.get(value) && !given.get(fraction)) // a whole number written as a float
                value = fraction >= 0 && fraction <= static_cast<double>(kMostMegabytes)
                            ? static_cast<int64_t>(fraction)
                            : -1;
            if (value < 0 || value > kMostMegabytes)
                return false;
        } else {
            for (size_t child = row + 1; child < page.names.size(); ++child)
                if (page.depth[child] == depth + 1)
                    value = std::min(kMostMegabytes, value + page.megabytes[child]);
        }
        page.megabytes[row] = value;
    }
    return true;
}

} // namespace

bool looksLikeSunburstPage(std::string_view html)
{
    const std::string_view begin = trimmed(html.substr(0, 64));
    return (begin.starts_with('<') || begin.starts_with("\xEF\xBB\xBF<")) && html.find("echarts") != html.npos &&
           findData(html);
}

Result<MemoryLogPage> readSunburstPage(std::string_view html, const std::string &path)
{
    const auto begin = findData(html);
    if (!begin)
        return Error{"This page contains no echarts sunburst.", path, std::nullopt};
    const std::string_view data = bracketed(html, *begin);
    if (data.empty())
        return Error{"The page is cut off: the data of its sunburst has no end.", path, html.size()};
    MemoryLogPage page;
    page.file = path.substr(path.rfind('/') + 1);
    page.title = page.file;
    for (const std::string_view end : {".html", "_sunburst"})
        if (page.title.ends_with(end))
            page.title.resize(page.title.size() - end.size());
    try {
        simdjson::dom::parser parser;
        const simdjson::padded_string padded(data);
        array nodes;
        if (const auto error = parser.parse(padded).get(nodes); error)
            return Error{"The data of the page's sunburst is not JSON.", path, *begin};
        if (!addNodes(nodes, 0, page))
            return Error{"The data of the page's sunburst is not a tree of names and whole MB.", path, *begin};
    } catch (const std::bad_alloc &) {
        return Error{"There is not enough memory for the data of the page.", path, *begin, ErrorKind::Limit};
    }
    return page;
}

} // namespace riffle
