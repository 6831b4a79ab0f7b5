// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/opening/open_controller.h"
#include "app/opening/opening_queue.h"
#include "model/ingest/gathering/gathered_files.h"

#include <QElapsedTimer>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// The files that the paths of a request stand for.
struct OpenController::FoundFiles {
    Result<GatheredFiles> gathered;
    std::vector<FoundFile> found;
    std::vector<FileWithoutPage> withoutPage;
};

struct OpenController::Opening {
    struct File {
        QString path;
        FoundFile found;
        TraceId id; ///< the member that it becomes; invalid for other kinds of files
        std::shared_ptr<Progress> progress = std::make_shared<Progress>();
        enum class State : uint8_t { Waiting, Reading, Open, Failed } state = State::Waiting;
        std::optional<OpenedSnapshot> snapshot;
        std::optional<OpenedSideFile> sideFile;
    };
    Opening(const OpenRequest &asked, OpeningOptions with, Place where)
        : request(asked)
        , options(std::move(with))
        , place(where)
    {
        clock.start();
    }
    bool isOpen(const File &file) const { return file.state == File::State::Open; }
    /// False for files that stay out of the request that is kept: those that failed and, after a cancel, those that are
    /// no members and were not read.
    bool isKept(const File &file) const
    {
        return isOpen(file) || (file.id.valid() && file.state != File::State::Failed);
    }

    OpenRequest request;
    OpeningOptions options;
    Place place;
    std::shared_ptr<Progress> gathering = std::make_shared<Progress>();
    GatheredFiles gathered;
    std::vector<FileWithoutPage> withoutPage;
    std::vector<File> files; ///< empty until they are found
    OpeningQueue queue{0, 1};
    std::optional<int64_t> firstStep; ///< of the largest trace, if the user is asked for a part
    QElapsedTimer clock;
    TraceSet expected;    ///< the members, until the first of them is shown
    bool isShown = false; ///< the members are those of the session
    bool isAgain = false; ///< the files of the session's members are read again
};

} // namespace riffle
