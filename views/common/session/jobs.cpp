// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/jobs.h"

#include <QCoreApplication>
#include <QMetaObject>
#include <QThread>
#include <QThreadPool>

#include <cassert>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>

namespace riffle {

struct Jobs::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    int active = 0;
    Jobs *owner = nullptr;
    QThreadPool pool;
};

Jobs::Jobs(QObject *parent) : QObject(parent), m_shared(std::make_shared<Shared>())
{
    m_shared->owner = this;
    // A stopped job may take a moment to notice; the next one should not wait for it.
    m_shared->pool.setMaxThreadCount(4);
    m_shared->pool.setExpiryTimeout(5000);
}

Jobs::~Jobs()
{
    assert(QThread::currentThread() == thread());
    for (Job &job : m_running)
        job.stop.request_stop();
    {
        std::unique_lock lock(m_shared->mutex);
        m_shared->owner = nullptr;
    }
    m_shared->pool.waitForDone();
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
    Job job{++m_lastNumber, {}};
    const std::stop_token stop = job.stop.get_token();
    const quint64 number = job.number;
    m_running.insert(key, std::move(job));
    Shared *shared = m_shared.get(); // waitForDone() keeps it alive for the worker
    m_shared->pool.start([shared, key, number, stop, step = std::move(step), failed = std::move(failed)] {
        std::function<void()> deliver;
        try {
            if (!stop.stop_requested())
                deliver = step(stop);
        } catch (...) {
            deliver = [why = reasonOfException(), failed] {
                failed ? failed(why) : emit JobFailures::all().happened(why);
            };
        }
        const std::unique_lock lock(shared->mutex);
        if (Jobs *owner = shared->owner)
            QMetaObject::invokeMethod(
                owner, [owner, key, number, deliver] { owner->finish(key, number, deliver); }, Qt::QueuedConnection);
    });
}

void Jobs::finish(const QString &key, quint64 number, const std::function<void()> &deliver)
{
    assert(QThread::currentThread() == thread());
    const auto job = m_running.constFind(key);
    if (job == m_running.constEnd() || job->number != number)
        return;
    m_running.erase(job);
    if (deliver)
        deliver();
    if (m_running.isEmpty())
        emit becameIdle();
}

void Jobs::cancel(const QString &key)
{
    assert(QThread::currentThread() == thread());
    const auto job = m_running.find(key);
    if (job == m_running.end())
        return;
    job->stop.request_stop();
    m_running.erase(job);
    if (m_running.isEmpty())
        emit becameIdle();
}

} // namespace riffle
