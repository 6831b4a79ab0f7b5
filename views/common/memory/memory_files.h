// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/memory/memory_log.h"
#include "model/trace/memory/memory_timeline.h"
#include "views/common/session/file_list.h"

#include <memory>
#include <vector>

namespace riffle {

/// The open memory files other than snapshots: torch.profiler timelines and logs.
class MemoryFiles : public FileList {
    Q_OBJECT
public:
    /// Either a timeline or a log; the other pointer is null.
    struct File {
        std::shared_ptr<const MemoryTimeline> timeline;
        std::shared_ptr<const MemoryLog> log;
    };

    using FileList::FileList;
    const std::vector<File> &files() const { return m_files; }
    bool empty() const { return m_files.empty(); }
    void setFiles(std::vector<File> files)
    {
        if (files.empty() && m_files.empty())
            return;
        m_files = std::move(files);
        emit changed();
    }

private:
    std::vector<File> m_files;
};

} // namespace riffle
