// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_grouping.h"
#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

#include <QString>

#include <memory>
#include <optional>
#include <string>

class QComboBox;
class QLabel;
class QPushButton;

namespace riffle {

class MemoryCategories;
class Session;
class SummaryTable;

/// The memory that is alive at the current instant but not at another one, and the other way round: new, gone, grown
/// and shrunk, by stack, category, …. The other instant is the one that the user kept. Until then it is the peak of the
/// first snapshot if several are open, otherwise the start of the history.
class DifferenceView : public MemoryView {
    Q_OBJECT
public:
    explicit DifferenceView(Session *session, QWidget *parent = nullptr);
    ~DifferenceView() override;

    SummaryTable *table() const { return m_table; }
    QComboBox *groupings() const { return m_groupings; }
    QPushButton *keepButton() const { return m_keep; }
    QString said() const; ///< the lines that describe the two instants
    bool settled() const { return m_jobs.idle(); }
    /// Makes the current instant the one that others are compared with.
    void keepInstant();

signals:
    void exportRequested(const QString &suggestedName, const QString &text);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    struct Side {
        std::shared_ptr<const SnapshotFacts> facts;
        uint32_t device = 0; ///< row of replay().devices
        uint32_t event = MemorySession::kNone;
        std::shared_ptr<const MemoryRules> rules;           ///< the rules by which categories are guessed
        std::shared_ptr<const MemoryCategories> categories; ///< null until needed
        MemoryTree tree(MemoryGrouping by);
        std::string said(bool named) const;
    };
    struct Answer {
        ResultTable table;
        std::string said;
        Side before, after; ///< with their categories, if these were needed
    };
    static Answer answerTo(Side before, Side after, MemoryGrouping by);
    std::optional<Side> before() const;
    std::optional<Side> looked() const;
    void keepCategories(Side &side) const;

    SummaryTable *m_table;
    QComboBox *m_groupings;
    QPushButton *m_keep;
    QLabel *m_said;
    std::optional<Side> m_kept;
    Side m_lastBefore, m_lastAfter; ///< the sides of the last answer, for their categories
    Jobs m_jobs;                    // last: its destructor waits for jobs
};

} // namespace riffle
