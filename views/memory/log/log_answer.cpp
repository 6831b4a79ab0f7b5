// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log/log_answer.h"

#include "model/analysis/memory/log/log_pairing.h"
#include "views/common/look/qt_text.h"
#include "views/memory/log/log_curves.h"

#include <QCoreApplication>

namespace riffle {

namespace {

/// The tree of a rank at a point, or of its page with the same title as the chosen page.
LogTree treeOf(const MemoryLogRank &rank, const MemoryLogRank &chosen, int page, uint32_t point)
{
    if (page == LogQuestion::kAtPoint)
        return logTreeAt(rank, point);
    const std::string &title = chosen.pages[static_cast<size_t>(page)].title;
    for (const MemoryLogPage &one : rank.pages)
        if (one.title == title && !one.damage)
            return logTreeOf(one);
    return {};
}

} // namespace

LogAnswer answerTo(const LogQuestion &question)
{
    LogAnswer answer;
    if (question.file.timeline) {
        if (question.withCurves)
            answer.curves = curvesOf(*question.file.timeline);
        answer.tree = timelineTreeAt(*question.file.timeline, question.point);
        answer.title = QCoreApplication::translate("riffle::LogView", "Alive memory");
        return answer;
    }
    const auto &ranks = question.file.log->ranks;
    const MemoryLogRank &rank = ranks[question.rank];
    if (question.withCurves)
        answer.curves = curvesOf(rank);
    answer.tree = treeOf(rank, rank, question.page, question.point);
    const auto titleOf = [&](const MemoryLogRank &one, uint32_t point) {
        return toQString(question.page == LogQuestion::kAtPoint && !one.points.empty()
                             ? one.name() + ": " + pointText(one, point)
                             : one.name());
    };
    answer.title = titleOf(rank, question.point);
    if (!question.other)
        return answer;
    const MemoryLogRank &other = ranks[*question.other];
    const uint32_t paired = pairedPoint(rank, question.point, other);
    answer.other = treeOf(other, rank, question.page, paired);
    answer.otherTitle = titleOf(other, paired);
    answer.same = sameNodes(answer.tree, answer.other);
    answer.differences = treeDifferences(answer.tree, answer.other, answer.same);
    answer.otherDifferences = treeDifferences(answer.other, answer.tree, sameNodes(answer.other, answer.tree));
    return answer;
}

bool sameNodesStand(const LogTree &a, const LogTree &b) { return a.depth == b.depth && a.paths == b.paths; }

} // namespace riffle
