// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace riffle {

/// Tells the windows which jobs have ended with an exception that nobody else shows.
class JobFailures : public QObject {
    Q_OBJECT
public:
    static JobFailures &all();
signals:
    /// `why` is a whole sentence.
    void happened(const QString &why);
};

/// Work outside the GUI thread. A job has a key; a newer job with the same key stops the older one, whose result is
/// dropped. Results are delivered on the thread that owns the object. The destructor stops all jobs and waits for them.
/// If a job throws, for example because memory is short, only its result is missing. All objects share the threads of
/// the process for jobs. A stopped job holds up no other one, however late it ends.
class Jobs : public QObject {
    Q_OBJECT
public:
    explicit Jobs(QObject *parent = nullptr);
    ~Jobs() override;

    /// Is told why a job has failed, as a whole sentence.
    using Failed = std::function<void(const QString &why)>;

    /// Runs `work(std::stop_token)` on a worker; passes its result to `deliver` unless a newer job replaced it. If it
    /// throws, calls `failed` instead, or tells JobFailures if there is none.
    template <typename Work, typename Deliver>
    void run(const QString &key, Work work, Deliver deliver, Failed failed = {})
    {
        using Answer = std::invoke_result_t<Work, std::stop_token>;
        start(
            key,
            [work = std::move(work), deliver = std::move(deliver)](std::stop_token stop) mutable {
                auto answer = std::make_shared<Answer>(work(std::move(stop)));
                return std::function<void()>([answer, deliver]() mutable { deliver(std::move(*answer)); });
            },
            std::move(failed));
    }

    /// Stops the job with this key; its result is dropped.
    void cancel(const QString &key);
    bool running(const QString &key) const { return m_running.contains(key); }
    bool idle() const { return m_running.isEmpty(); }

signals:
    /// The last job has ended.
    void becameIdle();

private:
    using Step = std::function<std::function<void()>(std::stop_token)>;
    struct Shared; ///< outlives the object while workers still run
    struct Job;
    void start(const QString &key, Step step, Failed failed);
    void stop(Job &job);
    void finish(const QString &key, quint64 number, const std::function<void()> &deliver);

    QHash<QString, std::shared_ptr<Job>> m_running;
    quint64 m_lastNumber = 0;
    std::shared_ptr<Shared> m_shared;
};

} // namespace riffle
