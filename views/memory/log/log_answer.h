// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/log/log_tree.h"
#include "views/common/memory/memory_files.h"
#include "views/memory/memory_curves_view.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace riffle {

/// What is looked at of a timeline or a log.
struct LogQuestion {
    static constexpr int kAtPoint = -1; ///< the page that is none

    MemoryFiles::File file;
    uint32_t rank = 0;
    uint32_t point = 0;
    std::optional<uint32_t> other; ///< the rank to compare with
    int page = kAtPoint;
    bool withCurves = false;
};

/// What a view shows of it. Made on any thread.
struct LogAnswer {
    std::shared_ptr<const MemoryCurves> curves; ///< null: as before
    LogTree tree, other;
    std::vector<uint32_t> same;                        ///< by node of `tree`: that of `other`, or LogTree::kNone
    std::vector<double> differences, otherDifferences; ///< by node, see treeDifferences()
    QString title, otherTitle;                         ///< the rank, and which of its points is shown

    bool compares() const { return !otherTitle.isEmpty(); }
};

LogAnswer answerTo(const LogQuestion &question);

/// Whether two trees have the same nodes at the same places.
bool sameNodesStand(const LogTree &a, const LogTree &b);

} // namespace riffle
