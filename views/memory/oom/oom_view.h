// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"
#include "views/common/session/jobs.h"

#include <QString>

class QTextBrowser;

namespace riffle {

/// A page that explains why allocations of the current snapshot failed: what was requested, what was available, the
/// verdict, what was alive, and the peaks of streams and pools of every device. A link goes to the instant.
class OomView : public MemoryView {
    Q_OBJECT
public:
    explicit OomView(MemorySession *memory, QWidget *parent = nullptr);

    bool settled() const { return m_jobs.idle(); }
    QString text() const; ///< the page as plain text
    QTextBrowser *page() const { return m_page; }

protected:
    void refresh(MemorySession::Changes changes) override;
    void changeEvent(QEvent *event) override;

private:
    void follow(const QString &link);
    void fill(const QString &html);

    std::shared_ptr<const SnapshotFacts> m_shown;
    std::shared_ptr<const MemoryRules> m_shownRules;
    QTextBrowser *m_page;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
