// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_files.h"
#include "views/common/session/jobs.h"
#include "views/memory/log/log_answer.h"
#include "views/memory/memory_curves_view.h"

#include <QPixmap>
#include <QWidget>

#include <memory>

class QComboBox;
class QLabel;
class QStackedWidget;
class QTreeView;

namespace riffle {

class EmptyNotice;
class LogTreeModel;
class SunburstChart;

/// Memory timelines and logs: curves over time and, for the chosen point, a sunburst and a tree of rows with the sizes
/// of the file. A log can be shown for any rank, and for two ranks side by side with their differences coloured. A page
/// that contains only a picture is shown as that picture.
class LogView : public QWidget {
    Q_OBJECT
public:
    explicit LogView(MemoryFiles *files, QWidget *parent = nullptr);

    bool settled() const { return m_jobs.idle(); }
    QComboBox *fileBox() const { return m_file; }
    QComboBox *rankBox() const { return m_rank; }
    QComboBox *otherBox() const { return m_other; } ///< the rank to compare with; the first entry means none
    MemoryCurvesView *curves() const { return m_curves; }
    SunburstChart *sunburst() const { return m_sunburst; }
    SunburstChart *otherSunburst() const { return m_otherSunburst; }
    QTreeView *tree() const { return m_tree; }
    QLabel *picture() const { return m_picture; }
    QString remarks() const;

signals:
    void fileExportRequested(const QString &suggestedName, const QByteArray &content);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    const MemoryFiles::File *file() const;
    const MemoryLogRank *rank() const;
    void showFiles();
    void explainEmptiness();
    void showFile();
    void showRank();
    void showPicture();
    void ask(bool withCurves);
    void take(LogAnswer made, uint32_t point);
    void goTo(uint32_t node);
    bool isLog() const; ///< true if the shown file is a log
    QString wholeText(int64_t printed, int64_t sum) const;

    MemoryFiles *m_files;
    QComboBox *m_file;
    QComboBox *m_rank;
    QComboBox *m_other;
    QComboBox *m_subject;
    QLabel *m_remarks;
    QStackedWidget *m_pages;
    MemoryCurvesView *m_curves;
    SunburstChart *m_sunburst;
    SunburstChart *m_otherSunburst;
    QTreeView *m_tree;
    LogTreeModel *m_rows;
    QLabel *m_picture;
    EmptyNotice *m_empty;
    QPixmap m_whole;                           ///< the picture at its original size
    std::shared_ptr<const LogAnswer> m_answer; ///< never null
    bool m_curvesWanted = false;               ///< curves were requested and have not arrived yet
    bool m_following = false;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
