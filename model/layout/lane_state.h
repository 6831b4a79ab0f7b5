// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace riffle {

/// The user's settings for the lanes. Lanes and groups are identified by keys that stay the same when the trace is
/// opened again (see LaneItem::key); keys of missing lanes are kept.
struct LaneState {
    std::set<std::string> folded;
    std::set<std::string> unfolded; ///< what the user unfolded of what is folded by default
    bool ranksFolded = false;       ///< ranks are folded by default
    std::set<std::string> whole;    ///< the lanes of the host that show all their rows
    std::set<std::string> hidden;
    std::vector<std::string> pinned;                       ///< in the order in which they appear at the top
    std::map<std::string, int> heights;                    ///< logical pixels
    std::map<std::string, std::vector<std::string>> order; ///< per group, the lanes in the user's order; others follow
    bool allFrames = false;                                ///< lanes with plumbing show all their frames
    std::set<std::string> otherwiseFramed;                 ///< the lanes that do the opposite of what allFrames says
    bool byName = false; ///< lanes of several ranks are grouped by their names instead of by rank
    std::string filter;  ///< shows only lanes whose name contains it, ignoring case; all if empty

    /// True if the plumbing of a lane is hidden.
    bool squeezes(const std::string &key) const { return allFrames == otherwiseFramed.contains(key); }

    bool operator==(const LaneState &) const = default;
};

} // namespace riffle
