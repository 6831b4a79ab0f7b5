// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/part_saver.h"

#include "model/base/format.h"
#include "model/ingest/trimmed_trace.h"
#include "views/common/look/qt_text.h"

#include <QFileInfo>

#include <atomic>
#include <cstring>

namespace riffle {

struct PartSaver::Watched {
    std::vector<Part> parts;
    std::vector<Progress> progress; ///< one per part
    std::atomic<size_t> current{0};
};

struct PartSaver::Answer {
    QStringList saved, troubles;
    uint64_t events = 0;
};

PartSaver::PartSaver(const Settings *settings, QObject *parent) : QObject(parent), m_settings(settings), m_jobs(this)
{
    m_ticker.setInterval(100);
    connect(&m_ticker, &QTimer::timeout, this, &PartSaver::report);
}

PartSaver::~PartSaver() = default;

std::vector<PartSaver::Part> PartSaver::partsOf(const TraceSet &traces, TimeSpan range,
                                                const std::function<QString(const Trace &)> &output)
{
    std::vector<Part> parts;
    for (const LoadedTrace &member : traces.loaded()) {
        const TimeSpan own = member.time.toTrace(range), recorded = member.trace->info.recorded;
        // "<=", because the last event can be exactly at the end.
        if (own.begin <= recorded.end && own.end > recorded.begin)
            parts.push_back({member.trace->info.path,
                             toUtf8(output(*member.trace)),
                             {own.begin - recorded.begin, own.end - recorded.begin}});
    }
    return parts;
}

QString PartSaver::suggestedName(const Trace &trace)
{
    QString name = QFileInfo(toQString(trace.info.path)).fileName();
    for (const char *ending : {".gz", ".zst", ".json", ".trace", ".pt", ".rifflelog"})
        if (name.endsWith(QLatin1String(ending)))
            name.chop(static_cast<qsizetype>(std::strlen(ending)));
    return name + QStringLiteral(".part.pt.trace.json.gz");
}

PartSaver::Answer PartSaver::saveAll(const std::vector<Part> &parts, const ImportOptions &options, Watched &watched,
                                     const std::stop_token &stop)
{
    Answer answer;
    for (size_t at = 0; at < parts.size() && !stop.stop_requested(); ++at) {
        watched.current = at;
        ImportOptions own = options;
        own.range = parts[at].range;
        const auto written = trimTrace(parts[at].trace, own, parts[at].output, {stop, &watched.progress[at]});
        if (written) {
            answer.saved += toQString(parts[at].output);
            answer.events += written->events;
        } else {
            answer.troubles += toQString(written.error().text());
        }
    }
    return answer;
}

void PartSaver::save(const std::vector<Part> &parts)
{
    if (parts.empty()) {
        emit notice(NoticeBar::Level::Warning, tr("No trace has any events in this range."));
        return;
    }
    auto watched = std::make_shared<Watched>();
    watched->parts = parts;
    watched->progress = std::vector<Progress>(parts.size());
    m_watched = watched;
    ImportOptions options;
    options.memoryLimit = static_cast<uint64_t>(m_settings->memoryLimitBytes());
    m_jobs.run(
        kKey,
        [options, watched](const std::stop_token &stop) { return saveAll(watched->parts, options, *watched, stop); },
        [this](const Answer &answer) { take(answer); },
        [this](const QString &why) {
            Answer failed;
            failed.troubles.append(why);
            take(failed);
        });
    m_ticker.start();
}

void PartSaver::cancel()
{
    m_jobs.cancel(kKey);
    m_ticker.stop();
    emit finished();
}

void PartSaver::report()
{
    if (!saving())
        return;
    const size_t current = m_watched->current;
    const Progress &progress = m_watched->progress[current];
    LoadStatus status;
    status.number = static_cast<int>(current) + 1;
    status.count = static_cast<int>(m_watched->parts.size());
    status.writing = progress.stage == Progress::Stage::Writing;
    status.sealing = progress.stage == Progress::Stage::Sealing;
    status.file = toQString(status.writing ? m_watched->parts[current].output : m_watched->parts[current].trace);
    status.bytesDone = progress.bytesDone;
    status.bytesTotal = progress.bytesTotal;
    emit progressed(status);
}

void PartSaver::take(const Answer &answer)
{
    m_ticker.stop();
    emit finished();
    for (const QString &trouble : answer.troubles)
        emit notice(NoticeBar::Level::Problem, trouble);
    if (!answer.saved.isEmpty())
        emit notice(NoticeBar::Level::Info,
                    tr("Saved %1 (%2 events).")
                        .arg(answer.saved.join(QStringLiteral(", ")), toQString(formatCount(answer.events))));
}

} // namespace riffle
