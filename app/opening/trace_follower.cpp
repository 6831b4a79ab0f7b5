// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/trace_follower.h"

#include "views/common/look/qt_text.h"

#include <QTimer>

#include <algorithm>
#include <utility>
#include <vector>

namespace riffle {

namespace {

constexpr qint64 kTickMs = 100;       ///< from the start of one look to that of the next
constexpr qint64 kQuietTickMs = 1000; ///< the same for sources that have had nothing new for kQuietMs
constexpr qint64 kQuietMs = 30'000;
constexpr uint64_t kMostBytes = 8 << 20; ///< per look, so that a long log is shown while it is read

QString jobOf(TraceId id) { return QStringLiteral("follow/%1").arg(id.value); }

} // namespace

TraceFollower::TraceFollower(Session *session, QObject *parent) : QObject(parent), m_session(session), m_jobs(this)
{
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::Traces | Session::Members))
            stopOthers();
    });
}

TraceFollower::~TraceFollower() = default;

void TraceFollower::follow(TraceId id, std::shared_ptr<GrowingSource> source)
{
    const LoadedTrace *member = m_session->traces().find(id);
    if (!member)
        return;
    Followed followed{std::move(source), member->reading, {}};
    followed.sinceNew.start();
    m_followed.insert_or_assign(id, std::move(followed));
    look(id);
}

void TraceFollower::look(TraceId id)
{
    const auto found = m_followed.find(id);
    if (found == m_followed.end() || m_jobs.running(jobOf(id)))
        return;
    struct Read {
        Result<std::shared_ptr<const Trace>> next = Error{};
        qint64 tookMs = 0;
    };
    m_jobs.run(
        jobOf(id),
        [source = found->second.source](const std::stop_token &) {
            QElapsedTimer timer;
            timer.start();
            Read read{source->next(kMostBytes), 0};
            read.tookMs = timer.elapsed();
            return read;
        },
        [this, id](const Read &read) { take(id, read.next, read.tookMs); },
        [this, id](const QString &why) {
            const LoadedTrace *member = m_session->traces().find(id);
            take(id, Error{toUtf8(why), member ? member->trace->info.path : std::string(), std::nullopt}, 0);
        });
}

void TraceFollower::take(TraceId id, const Result<std::shared_ptr<const Trace>> &next, qint64 tookMs)
{
    const auto found = m_followed.find(id);
    const LoadedTrace *member = m_session->traces().find(id);
    if (found == m_followed.end() || !member)
        return;
    Followed &followed = found->second;
    if (!next) {
        const Error &error = next.error();
        if (error.kind == ErrorKind::Limit || error.kind == ErrorKind::Changed) {
            stop(id);
            emit outgrown(id);
            return;
        }
        m_session->growTrace(id, nullptr, std::nullopt);
        stop(id);
        emit failed(id, error);
        return;
    }
    const bool isFinished = followed.source->isFinished();
    if (*next) {
        followed.sinceNew.restart();
        m_session->growTrace(id, *next, isFinished ? std::nullopt : std::optional(Growing{followed.source->settled()}));
    }
    if (isFinished) {
        stop(id);
        emit ended(id);
        return;
    }
    const qint64 pause = followed.sinceNew.elapsed() > kQuietMs ? kQuietTickMs : kTickMs;
    QTimer::singleShot(static_cast<int>(std::max<qint64>(0, pause - tookMs)), this,
                       [this, id, source = std::weak_ptr(followed.source)] {
                           const auto now = m_followed.find(id);
                           if (now != m_followed.end() && now->second.source == source.lock())
                               look(id);
                       });
}

void TraceFollower::stop(TraceId id)
{
    const auto found = m_followed.find(id);
    if (found == m_followed.end())
        return;
    m_jobs.cancel(jobOf(id));
    // A source waits for its own work when it is destroyed, so a worker does that.
    m_jobs.run(
        QStringLiteral("drop/%1").arg(id.value),
        [source = std::move(found->second.source)](const std::stop_token &) mutable {
            source.reset();
            return true;
        },
        [](bool) {});
    m_followed.erase(found);
}

/// Stops for members that are gone, or were read again.
void TraceFollower::stopOthers()
{
    std::vector<TraceId> others;
    for (const auto &[id, followed] : m_followed) {
        const LoadedTrace *member = m_session->traces().find(id);
        if (!member || member->reading != followed.reading)
            others.push_back(id);
    }
    for (const TraceId id : others)
        stop(id);
}

} // namespace riffle
