// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/slice/slice_details.h"
#include "model/analysis/slice/slice_group.h"
#include "views/common/session/jobs.h"
#include "views/common/session/view.h"

class QSplitter;
class QTextBrowser;
class QUrl;

namespace riffle {

class EmptyNotice;
class StackReader;

/// Everything known about the selected slice: its properties, its arguments, its links, and the call stack around it.
class DetailsView : public View {
    Q_OBJECT
public:
    explicit DetailsView(Session *session, QWidget *parent = nullptr);

    /// True if what is shown belongs to the selection.
    bool settled() const { return m_jobs.idle(); }

signals:
    void openFileRequested(const QString &file, int line);
    void settledChanged();

protected:
    void refresh(Session::Changes changes) override;

private:
    /// Growth: traces have grown, and the page stays where it is.
    enum class Reason : uint8_t { Question, Growth };
    /// `origin`: start times are relative to this, on the trace's own clock.
    void fill(SliceRef ref, const std::shared_ptr<const Trace> &trace, Ns origin, const SliceDetails &details,
              const SliceGroup &group, Reason reason);
    bool showPage(const QString &html, Reason reason);
    void follow(const QUrl &link);
    void goTo(SliceId slice);
    void showOverview(Reason reason = Reason::Question);

    QTextBrowser *m_page;
    QString m_html; ///< of m_page
    StackReader *m_stack;
    QSplitter *m_splitter;
    EmptyNotice *m_empty; ///< while no trace is open
    TraceId m_trace;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
