// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/job.h"

#include "collector/client/rank.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace riffle::record {

namespace {

using Clock = std::chrono::steady_clock;
constexpr timespec kPoll{0, 100'000'000};
constexpr auto kLastWait = std::chrono::seconds(2); ///< how long we wait for killed processes to be gone

/// While this object lives, signals are blocked until next() takes them, and ended children stay until their exit
/// status is read; the destructor restores the previous state.
class BlockedSignals {
public:
    BlockedSignals()
    {
        sigemptyset(&m_waiting);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGCHLD})
            sigaddset(&m_waiting, number);
        sigprocmask(SIG_BLOCK, &m_waiting, &m_before);
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        // If our parent ignores SIGCHLD, we inherit that, and the exit status of a child would be lost.
        sigaction(SIGCHLD, &standard, &m_childBefore);
    }
    ~BlockedSignals() { restore(); }
    void restore() const
    {
        sigaction(SIGCHLD, &m_childBefore, nullptr);
        sigprocmask(SIG_SETMASK, &m_before, nullptr);
    }
    /// The next signal; 0 after a poll interval without one.
    int next(siginfo_t &info) const { return std::max(sigtimedwait(&m_waiting, &info, &kPoll), 0); }

private:
    sigset_t m_waiting{}, m_before{};
    struct sigaction m_childBefore {};
};

/// The process ids of our current children.
std::vector<pid_t> children()
{
    std::vector<pid_t> all;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator("/proc", error)) {
        const auto id = wholeNumber(entry.path().filename().string());
        if (!id)
            continue;
        std::ifstream file(entry.path() / "stat");
        std::string text;
        std::getline(file, text);
        std::istringstream rest(
            text.substr(std::min(text.rfind(')') + 1, text.size()))); // the name may contain any character
        char state = 0;
        pid_t parent = 0;
        if (rest >> state >> parent && parent == getpid())
            all.push_back(*id);
    }
    return all;
}

/// Runs the command in the child process; never returns. If it cannot run, the errno is written to `report`.
[[noreturn]] void execute(const std::vector<std::string> &command, int report)
{
    std::vector<char *> words;
    for (const std::string &word : command)
        words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words[0], words.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = write(report, &error, sizeof(error));
    _exit(kNotFound);
}

JobEnd notRun(const std::string &program, int error)
{
    return {error == ENOENT ? kNotFound : kNotExecutable, false,
            "Cannot run " + program + ": " + std::strerror(error) + "."};
}

int codeOf(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

/// True if the terminal sent the signal, which then went to all foreground processes.
bool isOfTerminal(const siginfo_t &info) { return info.si_code == SI_KERNEL; }

/// Ends the processes that an ended command has left behind: each gets SIGTERM when it has become our child, and
/// SIGKILL after the time `kill`.
void endRest(const BlockedSignals &signals, Clock::time_point kill)
{
    std::set<pid_t> asked;
    pid_t ended = 0;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) >= 0 && Clock::now() < kill + kLastWait) {
        if (ended > 0)
            continue;
        const bool mustEnd = Clock::now() > kill;
        for (const pid_t process : children())
            if (mustEnd || asked.insert(process).second)
                ::kill(process, mustEnd ? SIGKILL : SIGTERM);
        siginfo_t info{};
        signals.next(info);
    }
}

JobEnd waitFor(pid_t child, const BlockedSignals &signals, const std::function<bool()> &isDone, int graceSeconds)
{
    JobEnd end;
    Clock::time_point kill{};
    for (;;) {
        int status = 0;
        const pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended < 0)
            return {kLost, end.ended,
                    std::string("The exit status of the command is unknown: ") + std::strerror(errno) + "."};
        if (ended == child) {
            end.code = codeOf(status);
            if (end.ended)
                endRest(signals, kill);
            return end;
        }
        siginfo_t info{};
        const int number = signals.next(info);
        if (number && number != SIGCHLD && !isOfTerminal(info))
            ::kill(child, number);
        if (!end.ended && isDone && isDone()) {
            end.ended = true;
            kill = Clock::now() + std::chrono::seconds(graceSeconds);
            prctl(PR_SET_CHILD_SUBREAPER, 1); // processes whose parents end become our children
            ::kill(child, SIGTERM);
        }
        if (end.ended && Clock::now() > kill)
            ::kill(child, SIGKILL);
    }
}

} // namespace

JobEnd runJob(const std::vector<std::string> &command, const std::map<std::string, std::string> &environment,
              const std::function<bool()> &isDone, int graceSeconds, int ignored)
{
    int report[2];
    if (pipe2(report, O_CLOEXEC) != 0)
        return notRun(command.front(), errno);
    const BlockedSignals signals;
    const pid_t child = fork();
    if (child == 0) {
        for (const auto &[name, value] : environment)
            setenv(name.c_str(), value.c_str(), 1);
        signals.restore();
        if (ignored)
            std::signal(ignored, SIG_IGN);
        execute(command, report[1]);
    }
    const int forkError = errno;
    close(report[1]);
    int error = child < 0 ? forkError : 0;
    if (child > 0 && read(report[0], &error, sizeof(error)) == sizeof(error))
        waitpid(child, nullptr, 0);
    close(report[0]);
    return error ? notRun(command.front(), error) : waitFor(child, signals, isDone, graceSeconds);
}

} // namespace riffle::record
