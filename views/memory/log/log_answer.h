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

/// The part of a timeline or log to show.
struct LogQuestion {
    static constexpr int kAtPoint = -1; ///< `page` has this value if the tree at the point is shown

    MemoryFiles::File file;
    uint32_t rank = 0;
    uint32_t point = 0;
    std::optional<uint32_t> other; ///< the rank to compare with
    int page = kAtPoint;
    bool withCurves = false;
};

/// The contents of the view for a question. Can be computed on any thread.
struct LogAnswer {
    std::shared_ptr<const MemoryCurves> curves; ///< null if they are unchanged
    LogTree tree, other;
    std::vector<uint32_t> same;                        ///< per node of `tree`: the node of `other`, or LogTree::kNone
    std::vector<double> differences, otherDifferences; ///< per node, see treeDifferences()
    QString title, otherTitle;                         ///< the rank, and which of its points is shown

    bool compares() const { return !otherTitle.isEmpty(); }
};

LogAnswer answerTo(const LogQuestion &question);

/// True if two trees have the same nodes in the same places.
bool sameNodesStand(const LogTree &a, const LogTree &b);

} // namespace riffle
