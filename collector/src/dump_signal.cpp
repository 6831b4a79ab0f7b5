// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/dump_signal.h"

#include <atomic>
#include <csignal>
#include <utility>

namespace riffle::collector {

namespace {

std::atomic<bool> g_came{false};
static_assert(std::atomic<bool>::is_always_lock_free);
int g_number = 0; ///< the signal whose handler is ours, or may still call ours
struct sigaction g_before {};

void handle(int number, siginfo_t *info, void *context)
{
    g_came.store(true, std::memory_order_relaxed);
    if (g_before.sa_flags & SA_SIGINFO) {
        if (g_before.sa_sigaction)
            g_before.sa_sigaction(number, info, context);
    } else if (g_before.sa_handler != SIG_DFL && g_before.sa_handler != SIG_IGN) {
        g_before.sa_handler(number);
    }
}

} // namespace

int dumpSignalOf(std::string_view name)
{
    constexpr std::pair<std::string_view, int> kKnown[] = {
        {"HUP", SIGHUP}, {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}};
    for (const auto &[known, number] : kKnown)
        if (name == known)
            return number;
    return 0;
}

bool watchDumpSignal(int number)
{
    forgetDumpSignal();
    // Our handler may still be in the chain of handlers, and it must not be there twice. The old handler is saved
    // before ours can run.
    if (g_number == number || sigaction(number, nullptr, &g_before) != 0)
        return false;
    struct sigaction ours {};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    ours.sa_mask = g_before.sa_mask;
    if (sigaction(number, &ours, nullptr) != 0)
        return false;
    g_number = number;
    return true;
}

void forgetDumpSignal()
{
    struct sigaction current {};
    if (g_number && sigaction(g_number, nullptr, &current) == 0 && (current.sa_flags & SA_SIGINFO) &&
        current.sa_sigaction == handle && sigaction(g_number, &g_before, nullptr) == 0)
        g_number = 0;
    g_came = false;
}

bool tookDumpSignal() { return g_came.load(std::memory_order_relaxed) && g_came.exchange(false); }

} // namespace riffle::collector
