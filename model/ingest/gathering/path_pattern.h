// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/task.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace riffle {

/// True if a path has characters that stand for others, as in "rank*/trace_[0-3].json".
bool isPathPattern(std::string_view path);

/// True if a name, without folders, matches a pattern: "*" stands for any characters, "?" for one, and "[a-z0]" for one
/// of a set, or with "!" or "^" for one outside it. A "." at the begin of a name must be written. "[*]" is a star.
bool matchesPattern(std::string_view name, std::string_view pattern);

/// The files and folders that a pattern stands for.
struct PatternMatches {
    std::vector<std::string> paths;                          ///< in natural order
    std::vector<std::pair<std::string, std::string>> unread; ///< folders that cannot be read, and why
    size_t entries = 0;                                      ///< the number that was looked at
    bool isCut = false;                                      ///< folders had more entries than were looked at
};

/// Finds what a pattern stands for, each of it once. "**" stands for any number of folders in each other; it does not
/// follow links.
/// Looks at no more than `mostEntries` entries of folders.
PatternMatches matchesOf(const std::string &pattern, size_t mostEntries, const Task &task);

} // namespace riffle
