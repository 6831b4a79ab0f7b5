// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/temporary_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace riffle {

namespace {

int unlinkedFileIn(const std::string &folder)
{
#ifdef O_TMPFILE
    const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0)
        return unnamed;
#endif
    std::string name = folder + "/riffle-XXXXXX";
    const int named = ::mkostemp(name.data(), O_CLOEXEC);
    if (named >= 0)
        ::unlink(name.c_str());
    return named;
}

} // namespace

int unlinkedFile(const std::string &folder)
{
    if (!folder.empty())
        return unlinkedFileIn(folder);
    // /tmp comes last: it is often in memory, and a temporary file is meant to save memory.
    std::vector<std::string> folders = {"/var/tmp", "/tmp"};
    if (const char *chosen = std::getenv("TMPDIR"); chosen && *chosen)
        folders.insert(folders.begin(), chosen);
    for (const std::string &candidate : folders) {
        const int file = unlinkedFileIn(candidate);
        if (file >= 0)
            return file;
    }
    return -1;
}

} // namespace riffle
