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

/// Work outside the GUI thread. A job has a key; a newer job with the same key stops the older one, whose result is
/// dropped. Results are delivered on the thread that owns the object. The destructor stops all jobs and waits for them.
class Jobs : public QObject {
    Q_OBJECT
public:
    explicit Jobs(QObject *parent = nullptr);
    ~Jobs() override;

    /// Runs `work(std::stop_token)` on a worker; passes its result to `deliver` unless a newer job replaced it.
    template <typename Work, typename Deliver>
    void run(const QString &key, Work work, Deliver deliver)
    {
        using Answer = std::invoke_result_t<Work, std::stop_token>;
        start(key, [work = std::move(work), deliver = std::move(deliver)](std::stop_token stop) mutable {
            auto answer = std::make_shared<Answer>(work(std::move(stop)));
            return std::function<void()>([answer, deliver]() mutable { deliver(std::move(*answer)); });
        });
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
    void start(const QString &key, Step step);
    void finish(const QString &key, quint64 number, const std::function<void()> &deliver);

    struct Job {
        quint64 number;
        std::stop_source stop;
    };
    QHash<QString, Job> m_running;
    quint64 m_lastNumber = 0;
    std::shared_ptr<Shared> m_shared;
};

} // namespace riffle
