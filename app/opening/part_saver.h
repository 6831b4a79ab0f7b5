// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/open_controller.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace riffle {

/// Writes parts of traces into files of their own, off the GUI thread; one saving at a time. Owned by the main window.
class PartSaver : public QObject {
    Q_OBJECT
public:
    struct Part {
        std::string trace;  ///< path of the file that the part is of
        std::string output; ///< file to write
        TimeSpan range;     ///< ns after the trace's first event
    };

    explicit PartSaver(const Settings *settings, QObject *parent = nullptr);
    ~PartSaver() override;

    /// What a range of the set means in each of its traces that it touches; `output(trace)` names the files.
    static std::vector<Part> partsOf(const TraceSet &traces, TimeSpan range,
                                     const std::function<QString(const Trace &)> &output);
    /// A name for the part's file: that of the trace, marked and compressed.
    static QString suggestedName(const Trace &trace);

    void save(const std::vector<Part> &parts);
    void cancel();
    bool saving() const { return m_jobs.running(kKey); }

signals:
    void progressed(const riffle::LoadStatus &status);
    void finished(); ///< or cancelled, or failed
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
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
