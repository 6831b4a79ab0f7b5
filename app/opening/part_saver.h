// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/open_controller.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Writes parts of traces to new files, off the GUI thread, one save at a time. Owned by the main window.
class PartSaver : public QObject {
    Q_OBJECT
public:
    struct Part {
        std::string trace;  ///< path of the trace
        std::string output; ///< path of the file to write
        TimeSpan range;     ///< in ns after the trace's first event
    };

    explicit PartSaver(const Settings *settings, QObject *parent = nullptr);
    ~PartSaver() override;

    /// One part for each trace that a range of the set overlaps; output(trace) returns the file to write.
    static std::vector<Part> partsOf(const TraceSet &traces, TimeSpan range,
                                     const std::function<QString(const Trace &)> &output);
    /// A suggested file name for a part: the trace's name, with ".part.pt.trace.json.gz" in place of its
    /// extensions.
    static QString suggestedName(const Trace &trace);

    void save(const std::vector<Part> &parts);
    void cancel();
    bool saving() const { return m_jobs.running(kKey); }

signals:
    void progressed(const riffle::LoadStatus &status);
    void finished(); ///< also after a failure or if the user cancelled
    void notice(riffle::NoticeBar::Level level, const QString &text);

private:
    struct Watched; ///< progress that the worker writes and the timer reads
    struct Answer;
    static Answer saveAll(const std::vector<Part> &parts, const ImportOptions &options, Watched &watched,
                          const std::stop_token &stop);
    void report();
    void take(const Answer &answer);

    const QString kKey = QStringLiteral("save");
    const Settings *m_settings;
    std::shared_ptr<Watched> m_watched;
    QTimer m_ticker;
    Jobs m_jobs; // last member: its destructor waits for running work
};

} // namespace riffle
