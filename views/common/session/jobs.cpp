// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/jobs.h"

#include "model/base/parallel.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QThread>
#include <QThreadPool>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace riffle {

namespace {

/// The threads of all jobs of the process. There are enough for all visible views beside as many imports as there are
/// workers; what the jobs compute in parallel is on the threads of parallelFor().
class JobThreads : public QThreadPool {
public:
    static JobThreads &all()
    {
        static JobThreads threads;
        return threads;
    }

    /// Allows another thread beside that of a job that was stopped and has not ended. Returns false if there are too
    /// many of these.
    bool leaveBehind()
    {
        if (m_leftBehind.fetch_add(1) < kMostLeftBehind) {
            releaseThread();
            return true;
        }
        --m_leftBehind;
        return false;
    }
    void takeBack()
    {
        reserveThread();
        --m_leftBehind;
    }

private:
    static constexpr int kMostLeftBehind = 100;
    JobThreads()
    {
        constexpr int kViews = 32;
        setMaxThreadCount(kViews + static_cast<int>(workerCount()));
        setExpiryTimeout(5000);
    }

    std::atomic<int> m_leftBehind = 0;
};

} // namespace

struct Jobs::Job {
    const quint64 number;
    std::stop_source stop;
    bool isWorking = false;    ///< it has begun and not ended
    bool isLeftBehind = false; ///< it was stopped while it worked, so its thread does not count any more
};

struct Jobs::Shared {
    std::mutex mutex; ///< guards everything below and the state of the jobs
    std::condition_variable ended;
    int working = 0; ///< jobs that have begun and not ended
    Jobs *owner = nullptr;
};

Jobs::Jobs(QObject *parent) : QObject(parent), m_shared(std::make_shared<Shared>()) { m_shared->owner = this; }

Jobs::~Jobs()
{
    assert(QThread::currentThread() == thread());
    for (const std::shared_ptr<Job> &job : m_running)
        job->stop.request_stop();
    std::unique_lock lock(m_shared->mutex);
    m_shared->owner = nullptr;
    m_shared->ended.wait(lock, [this] { return m_shared->working == 0; });
}

JobFailures &JobFailures::all()
{
    static JobFailures failures;
    return failures;
}

namespace {

/// Why a job has failed; called while the exception is handled.
QString reasonOfException()
{
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return QCoreApplication::translate("Jobs", "There is not enough memory.");
    } catch (const std::exception &exception) {
        return QCoreApplication::translate("Jobs", "An unexpected error occurred: %1.").arg(exception.what());
    } catch (...) {
        return QCoreApplication::translate("Jobs", "An unexpected error occurred.");
    }
}

} // namespace

void Jobs::start(const QString &key, Step step, Failed failed)
{
    assert(QThread::currentThread() == thread() && step);
    cancel(key);
    const auto job = std::make_shared<Job>(++m_lastNumber);
    m_running.insert(key, job);
    JobThreads::all().start(
        [shared = m_shared, job, key, step = std::move(step), failed = std::move(failed)]() mutable {
            {
                const std::scoped_lock lock(shared->mutex);
                if (job->stop.stop_requested())
                    return;
                job->isWorking = true;
                ++shared->working;
            }
            std::function<void()> deliver;
            try {
                deliver = step(job->stop.get_token());
            } catch (...) {
                deliver = [why = reasonOfException(), failed] {
                    failed ? failed(why) : emit JobFailures::all().happened(why);
                };
            }
            step = {}; // what the job holds may belong to the owner
            failed = {};
            std::unique_lock lock(shared->mutex);
            if (Jobs *owner = shared->owner)
                QMetaObject::invokeMethod(
                    owner, [owner, key, number = job->number, deliver] { owner->finish(key, number, deliver); },
                    Qt::QueuedConnection);
            lock.unlock();
            deliver = {};
            lock.lock();
            job->isWorking = false;
            if (job->isLeftBehind)
                JobThreads::all().takeBack();
            if (--shared->working == 0)
                shared->ended.notify_all();
        });
}

void Jobs::finish(const QString &key, quint64 number, const std::function<void()> &deliver)
{
    assert(QThread::currentThread() == thread());
    const auto job = m_running.constFind(key);
    if (job == m_running.constEnd() || (*job)->number != number)
        return;
    m_running.erase(job);
    if (deliver)
        deliver();
    if (m_running.isEmpty())
        emit becameIdle();
}

/// Stops a job. Until it notices, another job may have a thread in its place.
void Jobs::stop(Job &job)
{
    job.stop.request_stop();
    const std::scoped_lock lock(m_shared->mutex);
    job.isLeftBehind = job.isWorking && JobThreads::all().leaveBehind();
}

void Jobs::cancel(const QString &key)
{
    assert(QThread::currentThread() == thread());
    const auto job = m_running.find(key);
    if (job == m_running.end())
        return;
    stop(**job);
    m_running.erase(job);
    if (m_running.isEmpty())
        emit becameIdle();
}

} // namespace riffle
