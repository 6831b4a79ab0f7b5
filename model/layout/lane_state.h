// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace riffle {

/// What the user has done to the lanes. Lanes and groups are named by keys that mean the same when the trace is opened
/// again (see LaneItem::key); keys of lanes that are not there are kept.
struct LaneState {
    std::set<std::string> folded;
    std::set<std::string> unfolded; ///< of what is folded unless asked for
    std::set<std::string> hidden;
    std::vector<std::string> pinned;                       ///< in their order at the top
    std::map<std::string, int> heights;                    ///< logical pixels
    std::map<std::string, std::vector<std::string>> order; ///< by group: its lanes as the user put them; others follow
    std::string filter; ///< only lanes whose name contains it, whatever the case; empty: all

    bool operator==(const LaneState &) const = default;
};

} // namespace riffle
