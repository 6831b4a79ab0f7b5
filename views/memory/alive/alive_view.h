// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/alive/memory_grouping.h"
#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

class QComboBox;
class QLabel;
class QTabWidget;

namespace riffle {

class IcicleChart;
class MemoryCategories;
class Session;
class SummaryTable;
class SunburstChart;

/// The memory that is alive at the current instant, grouped by stack, module, operator, …: as a tree of rows, as an
/// icicle and as a sunburst, which share one current node. Going to a node selects its largest allocation, and
/// selecting an allocation shows its node. The answer is computed outside the GUI thread for the newest instant only;
/// the old rows stay until the new ones arrive.
class AliveView : public MemoryView {
    Q_OBJECT
public:
    explicit AliveView(Session *session, QWidget *parent = nullptr);
    ~AliveView() override;

    bool settled() const { return m_jobs.idle(); }
    SummaryTable *table() const { return m_table; }
    IcicleChart *icicle() const { return m_icicle; }
    SunburstChart *sunburst() const { return m_sunburst; }
    QTabWidget *pictures() const { return m_pictures; }
    QComboBox *groupings() const { return m_groupings; }
    QString said() const; ///< the line that describes the instant
    void setGrouping(MemoryGrouping by);

signals:
    void exportRequested(const QString &suggestedName, const QString &text);
    void fileExportRequested(const QString &suggestedName, const QByteArray &content);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    struct Answer {
        std::shared_ptr<const SnapshotFacts> facts;
        std::shared_ptr<const MemoryCategories> categories; ///< of the whole snapshot; null until needed
        std::shared_ptr<const MemoryRules> rules;           ///< the rules by which categories are guessed
        MemoryInstant instant;
        MemoryTree tree;
        ResultTable table;
        std::string said;
    };
    static Answer answerTo(Answer asked, uint32_t device, uint32_t event, MemoryGrouping by);
    void ask();
    void take(Answer answer);
    void goTo(uint32_t node);
    void showSelected();
    void selectLargest(uint32_t node);

    SummaryTable *m_table;
    IcicleChart *m_icicle;
    SunburstChart *m_sunburst;
    QTabWidget *m_pictures;
    QComboBox *m_groupings;
    QLabel *m_said;
    Answer m_answer;          ///< what is shown
    bool m_following = false; ///< the current node is being shown in all parts
    Jobs m_jobs;              // last: its destructor waits for jobs
};

} // namespace riffle
