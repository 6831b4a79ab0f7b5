// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The functions of Qt whose parameters or results belong to the C++ library, as far as the window calls them. Qt's own
// ones are for GCC's library and have other names, so without these the window does not link.
#include <QByteArray>
#include <QJsonObject>
#include <QRunnable>
#include <QThreadPool>

#include <functional>
#include <string>
#include <utility>

QByteArray QByteArray::fromStdString(const std::string &text)
{
    return QByteArray(text.data(), static_cast<qsizetype>(text.size()));
}

std::string QByteArray::toStdString() const { return std::string(constData(), static_cast<size_t>(size())); }

QJsonObject::QJsonObject(std::initializer_list<std::pair<QString, QJsonValue>> members) : QJsonObject()
{
    for (const auto &[key, value] : members)
        insert(key, value);
}

void QThreadPool::start(std::function<void()> work, int priority)
{
    struct Work : QRunnable {
        std::function<void()> work;
        void run() override { work(); }
    };
    auto *const runnable = new Work;
    runnable->work = std::move(work);
    start(runnable, priority); // which deletes it
}
