// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"

#include <QObject>
#include <QString>

#include <memory>
#include <vector>

namespace riffle {

/// The open memory files other than snapshots: torch.profiler timelines and logs. Owned by the window.
class MemoryFiles : public QObject {
    Q_OBJECT
public:
    /// Either a timeline or a log; the other pointer is null.
    struct File {
        std::shared_ptr<const MemoryTimeline> timeline;
        std::shared_ptr<const MemoryLog> log;
    };

    using QObject::QObject;
    const std::vector<File> &files() const { return m_files; }
    bool empty() const { return m_files.empty(); }
    /// The file that is being read, by name; empty if there is none.
    const QString &loading() const { return m_loading; }
    void setLoading(const QString &name)
    {
        m_loading = name;
        emit loadingChanged();
    }
    void setFiles(std::vector<File> files)
    {
        if (files.empty() && m_files.empty())
            return;
        m_files = std::move(files);
        emit changed();
    }

signals:
    void changed();
    void loadingChanged();
    void openRequested(); ///< asks the window to let the user choose files

private:
    QString m_loading;
    std::vector<File> m_files;
};

} // namespace riffle
