// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_file.h"
#include "tests/fuzz/effort.h"
#include "tests/fuzz/fuzz_file.h"
#include "tests/support/archives.h"

#include <cstdio>
#include <cstdlib>

using namespace riffle;

/// Reads a session, writes it and reads it again: both must agree.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const test::Effort effort(size, {.bytes = 16 << 20, .bytesPerByte = 1000});
    const test::FuzzFile file(data, size);
    const QString path = QString::fromStdString(file.path());
    const auto session = SessionFile::read(path);
    if (!session)
        return 0;
    session->changedFiles();
    static const test::TemporaryFolder kFolder;
    const QString copy = QString::fromStdString(kFolder.file("copy.riffle"));
    if (!session->write(copy))
        return 0;
    const auto again = SessionFile::read(copy);
    if (!again || again->files.size() != session->files.size() || again->marks.size() != session->marks.size() ||
        again->range != session->range || again->steps != session->steps || again->visible != session->visible ||
        again->area != session->area || again->areaLanes != session->areaLanes || again->lanes != session->lanes) {
        std::fprintf(stderr, "the session changes when it is written and read again\n");
        std::abort();
    }
    return 0;
}
