// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/gathering/run_files.h"

#include "model/base/mapped_file.h"
#include "model/base/parallel.h"
#include "model/ingest/archive_text.h"
#include "model/ingest/gathering/foreign_file.h"
#include "model/ingest/importers.h"
#include "model/ingest/sniffed_file.h"

namespace riffle {

RunFile peekedRecord(const std::string &path, const std::string &name)
{
    RunFile file;
    file.name = name;
    const SniffedFile sniffed(path);
    if (!sniffed.isFolder() && !sniffed.isThere()) {
        const auto opened = MappedFile::open(path);
        file.why = opened ? "It cannot be read." : opened.error().message;
        return file;
    }
    const Importer &importer = importerOf(sniffed);
    file.kind = importer.runKind;
    if (importer.peek)
        importer.peek(sniffed, file);
    // The last row takes every file. What it cannot be is no trace, unless it records a place in a job.
    if (&importer == &importers().back() && file.recorded == RecordedPlace())
        file.why = sniffed.isPacked() && sniffed.head().empty() ? whyNoText(path).message : whyForeign(sniffed);
    return file;
}

std::vector<RunFile> runFilesOf(const GatheredFiles &found, const Task &task)
{
    std::vector<RunFile> files(found.paths.size());
    parallelFor(files.size(), [&](size_t at) {
        if (task.stopped())
            files[at].name = found.names[at];
        else
            files[at] = peekedRecord(found.paths[at], found.names[at]);
    });
    return files;
}

} // namespace riffle
