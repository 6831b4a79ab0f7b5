// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/ranks/step_grid.h"
#include "views/common/session/session.h"

#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// A trace of the shown run, in the order of its ranks; those that nothing places come last.
struct RankRow {
    static constexpr uint32_t kUnplaced = UINT32_MAX;
    TraceId member;
    std::string title;                      ///< that of the set
    std::shared_ptr<const RankFacts> facts; ///< null while they are not known
    uint32_t cell = kUnplaced;              ///< in Run::cells
    bool operator==(const RankRow &) const = default;
};

/// The traces of the shown run. Before the files are laid out as runs, these are all members.
std::vector<RankRow> rankRows(const Session &session);

/// The steps of the rows.
StepGrid stepGridOf(const std::vector<RankRow> &rows);

} // namespace riffle
