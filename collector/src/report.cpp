// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/report.h"

#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

void writeLine(int file, const std::string &line)
{
    [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
}

} // namespace

void say(int64_t rank, const std::string &sentence)
{
    pollfd stderrIs{STDERR_FILENO, POLLOUT, 0};
    if (poll(&stderrIs, 1, 0) == 1 && (stderrIs.revents & POLLOUT))
        writeLine(STDERR_FILENO,
                  "riffle: " + (rank >= 0 ? "rank " + std::to_string(rank) + ": " : std::string()) + sentence + "\n");
}

void tellRecorder(const std::string &folder, uint64_t steps, bool done, const std::string &error)
{
    if (folder.empty())
        return;
    const std::string path = folder + "/" + std::to_string(getpid()), made = path + ".new";
    const int file = open(made.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return; // the recorder has ended
    writeLine(file, std::string("state=") + (done ? "done" : "recording") + "\nsteps=" + std::to_string(steps) + "\n" +
                        (error.empty() ? std::string() : "error=" + error + "\n"));
    close(file);
    std::rename(made.c_str(), path.c_str()); // so that the file is complete at any time
}

} // namespace riffle::collector
