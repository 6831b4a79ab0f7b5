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

/// What is alive at the instant that is looked at, put together by stack, module, operator, …: as a tree of rows, as an
/// icicle and as a sunburst, which show one current node. Of a node that the user goes to the largest allocation is
/// selected, and of a selected allocation the node is shown. Asks off the GUI thread, the newest instant only, and
/// keeps the old rows until the new ones are there.
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
    QString said() const; ///< the line that says which instant this is
    void setGrouping(MemoryGrouping by);

signals:
    void exportRequested(const QString &suggestedName, const QString &text);
    void fileExportRequested(const QString &suggestedName, const QByteArray &content);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    struct Answer {
        std::shared_ptr<const SnapshotFacts> facts;
        std::shared_ptr<const MemoryCategories> categories; ///< of all of the snapshot; null until they were asked for
        std::shared_ptr<const MemoryRules> rules;           ///< what categories are guessed by
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
    Jobs m_jobs;              // last: its end waits for work
};

} // namespace riffle
