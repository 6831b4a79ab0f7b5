// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/kineto_traces.h"

#include "collector/client/kineto_request.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace riffle::record {

namespace fs = std::filesystem;

namespace {

/// A process that has made no step in this time may never make one.
constexpr auto kPatience = std::chrono::seconds(10);
/// All ranks poll within this time, so that ranks that record by time can all start at the same moment.
constexpr int64_t kLeadMs = 2000;

int64_t unixMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

bool endsAsJson(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    char last = 0;
    for (int64_t back = 1; back < 64 && file.seekg(-back, std::ios::end) && file.get(last); ++back)
        if (last != ' ' && last != '\n')
            break;
    return last == '}';
}

bool isAncestor(const KinetoDaemon::Client &ancestor, const KinetoDaemon::Client &client)
{
    return std::find(client.pids.begin() + 1, client.pids.end(), ancestor.pids.front()) != client.pids.end();
}

} // namespace

KinetoTraces::KinetoTraces(const Settings &settings, const Rendezvous &rendezvous, KinetoDaemon &daemon)
    : m_settings(settings)
    , m_rendezvous(rendezvous)
    , m_daemon(daemon)
{
}

std::vector<KinetoTraces::Trace> KinetoTraces::update(Clock::time_point now)
{
    refresh();
    std::vector<Trace> written;
    for (auto &[pid, process] : m_processes) {
        std::error_code error;
        if (process.asked && fs::exists(process.path, error)) {
            process.asked = false;
            ++process.written;
            written.push_back(
                {process.path, process.client.rank, fs::file_size(process.path, error), endsAsJson(process.path)});
        }
        if (isDue(process, now))
            ask(process);
    }
    return written;
}

/// Updates m_processes from the daemon's clients and the steps that the processes have reported.
void KinetoTraces::refresh()
{
    std::set<int> stepped;
    for (const Rendezvous::Process &process : m_rendezvous.processes())
        if (process.steps > 0)
            stepped.insert(process.pid);
    for (KinetoDaemon::Client &client : m_daemon.clients()) {
        const auto [found, isNew] = m_processes.try_emplace(client.pid);
        Process &process = found->second;
        if (isNew) {
            const auto &ranks = m_settings.ranks;
            process.leftOut =
                client.rank && !ranks.empty() && std::find(ranks.begin(), ranks.end(), *client.rank) == ranks.end();
        }
        process.stepped |= stepped.contains(client.pids.front());
        process.client = std::move(client);
    }
}

bool KinetoTraces::isDone(const Process &process) const
{
    const int cycles = m_settings.schedule ? m_settings.schedule->repeat : 1;
    return process.leftOut || (cycles > 0 && process.written >= cycles);
}

bool KinetoTraces::isDue(const Process &process, Clock::time_point now) const
{
    if (process.asked || isDone(process))
        return false;
    // Kineto silently refuses a request for steps before the first step.
    return process.stepped || (!m_settings.schedule && now - process.client.since > kPatience && !stepsAside(process));
}

/// True if a related process should be asked instead of this one, which makes no steps: the ranks instead of their
/// launcher, and the process that started a helper instead of the helper.
bool KinetoTraces::stepsAside(const Process &process) const
{
    return std::any_of(m_processes.begin(), m_processes.end(), [&process](const auto &entry) {
        const Process &other = entry.second;
        const bool hasRank = process.client.rank.has_value(), otherHas = other.client.rank.has_value();
        return (isAncestor(other.client, process.client) && (other.stepped || otherHas || !hasRank)) ||
               (isAncestor(process.client, other.client) && (other.stepped || (otherHas && !hasRank)));
    });
}

void KinetoTraces::ask(Process &process)
{
    choosePath(process);
    const int64_t earliest = unixMs() + kKinetoWarmupSeconds * 1000;
    if (!m_startMs)
        m_startMs = earliest + kLeadMs;
    const int64_t start = earliest < m_startMs ? m_startMs : 0;
    m_daemon.ask(process.client.pid, kinetoRequest(m_settings, process.request, process.written, start));
    process.asked = true;
}

/// Chooses a path at which there is no file yet, from this run or an earlier one.
void KinetoTraces::choosePath(Process &process) const
{
    char host[256] = "host";
    gethostname(host, sizeof(host) - 1);
    const auto &client = process.client;
    const std::string base =
        m_settings.folder + "/" + host + (client.rank ? "_rank" + std::to_string(*client.rank) : "");
    const std::string id = "_" + std::to_string(client.pids.front()) + ".json";
    std::string name = base;
    std::error_code error;
    for (int number = 2; fs::exists(name + id, error); ++number)
        name = base + "_" + std::to_string(number);
    process.request = name + ".json";
    process.path = name + id;
}

bool KinetoTraces::allWritten() const
{
    bool one = false;
    for (const auto &[pid, process] : m_processes) {
        if (!isDone(process) && (process.stepped || process.client.worked))
            return false;
        one |= process.written > 0;
    }
    return one;
}

std::vector<std::string> KinetoTraces::missing() const
{
    std::vector<std::string> sentences;
    bool any = false;
    for (const auto &[pid, process] : m_processes) {
        any |= process.written > 0 || process.leftOut;
        if (!process.asked)
            continue;
        const std::string who =
            process.client.rank ? "rank " + std::to_string(*process.client.rank) : "process " + std::to_string(pid);
        std::error_code error;
        if (fs::exists(process.path + ".tmp", error))
            sentences.push_back(
                "Kineto's trace of " + who +
                " is incomplete (the process was killed, or the disk is full). The incomplete trace is " +
                process.path + ".tmp.");
        else if (process.client.worked)
            sentences.push_back("Kineto has left no trace of " + who + "; its output may say why.");
        else
            sentences.push_back("Kineto recorded nothing of " + who + ", which ended too early.");
    }
    if (m_processes.empty())
        sentences.push_back("Kineto did not record: no process of the job loaded a PyTorch that includes Kineto.");
    else if (!any && sentences.empty())
        sentences.push_back(m_settings.schedule
                                ? "Kineto did not record: no process made a step."
                                : "Kineto did not record: no process made a step or ran for ten seconds.");
    return sentences;
}

} // namespace riffle::record
