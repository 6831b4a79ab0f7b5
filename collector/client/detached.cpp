// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/detached.h"

#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace riffle::record {

namespace {

/// Runs the command in the child process; never returns. If it cannot run, the errno is written to `report`.
[[noreturn]] void becomeDetached(const std::vector<char *> &words, int report)
{
    setsid();
    std::signal(SIGPIPE, SIG_DFL); // we may ignore it
    if (const int nothing = open("/dev/null", O_RDWR); nothing >= 0)
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
            dup2(nothing, stream);
    execv(words[0], words.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(report, &error, sizeof(error));
    _exit(1);
}

} // namespace

bool hasDisplay(const Lookup &lookup)
{
    for (const char *name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
        if (const char *value = lookup(name); value && *value)
            return true;
    return false;
}

std::string startDetached(const std::vector<std::string> &command)
{
    assert(!command.empty());
    std::vector<char *> words;
    for (const std::string &word : command)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    int report[2];
    int error = pipe2(report, O_CLOEXEC) == 0 ? 0 : errno;
    if (!error) {
        const pid_t child = fork();
        if (child == 0)
            becomeDetached(words, report[1]);
        error = child < 0 ? errno : 0;
        close(report[1]);
        if (child > 0 && read(report[0], &error, sizeof(error)) == sizeof(error))
            waitpid(child, nullptr, 0);
        close(report[0]);
    }
    return error ? command.front() + " could not be started: " + std::strerror(error) + "." : std::string();
}

} // namespace riffle::record
