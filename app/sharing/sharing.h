// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/sharing/shared_part.h"
#include "views/common/look/notice_bar.h"
#include "views/common/session/jobs.h"
#include "views/common/session/session.h"

#include <QObject>

#include <functional>

class QMenu;

namespace riffle {

/// The services of the window for copies.
struct ShareHost {
    Session *session = nullptr;
    std::function<QWidget *()> page; ///< the page that is shown
    std::function<QString()> files;  ///< a short name for the open files
    std::function<void(const QString &suggestedName, const QByteArray &content)> saveFile;
};

/// Copies the table, chart or lanes with the focus as a picture or as Markdown, with a heading that says what they
/// cover. Owned by the window.
class Sharing : public QObject {
    Q_OBJECT
public:
    Sharing(ShareHost host, QObject *parent);

    void addTo(QMenu *menu);
    bool settled() const { return m_jobs.idle(); }

public slots:
    void copyPicture();
    void savePicture();
    /// The chosen rows of a table; for lanes, the details of the selected slice, which are read on a worker.
    void copyMarkdown();

signals:
    void notice(riffle::NoticeBar::Level level, const QString &text);

private:
    QImage picture();
    void copyTable(const SharedPart &part);
    void copyRows(const SharedPart &part);
    void copySlice();

    ShareHost m_host;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
