// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/clock.h"
#include "collector/src/engine.h"

#include "collector/src/sources/every_call.h"

#include <algorithm>
#include <chrono>
#include <fstream>

namespace riffle::collector {

namespace {

constexpr auto kSourcePatience = std::chrono::seconds(5);

} // namespace

void Engine::armCuda(bool driverStarts)
{
    Options options;
    CudaActivity::Moment moment{driverStarts, false};
    {
        std::scoped_lock lock(m_mutex);
        if (!follows() || m_ending || m_cudaRefused || !m_wantsCuda)
            return;
        options = m_options;
        moment.guarded = m_cudaGuarded;
    }
    std::string said;
    const CudaActivity::Arming arming = m_cuda.arm(options, moment, said);
    std::scoped_lock lock(m_mutex);
    m_cudaRefused = arming == CudaActivity::Arming::Refused;
    if (m_cudaRefused)
        m_gaps.begins(wire::kCudaSource, said.substr(0, said.find(':')), m_startTime);
    if (!said.empty())
        m_cudaSaid = said;
}

Answer Engine::willYieldCuda()
{
    std::scoped_lock lock(m_mutex);
    m_cudaGuarded = true;
    return {};
}

Answer Engine::yieldCuda()
{
    m_cuda.yield();
    std::unique_lock lock(m_mutex);
    m_cudaGuarded = true;
    const auto isFree = [this] { return !m_cuda.isArmed() || !follows(); };
    if (isFree())
        return {};
    m_cudaSaid = "yielded to another profiler: no kernels are recorded meanwhile";
    m_wake.notify_all();
    if (!m_done.wait_for(lock, kSourcePatience, isFree))
        return {RIFFLE_EIO, "CUPTI was not released in time."};
    return {};
}

Answer Engine::resumeCuda()
{
    if (!m_cuda.resume())
        return {};
    {
        std::scoped_lock lock(m_mutex);
        m_cudaRefused = !m_options.cupti;
    }
    armCuda();
    return {};
}

/// Arms CUPTI as soon as the process has loaded it, and collects its records.
void Engine::watchCuda()
{
    if (!m_cuda.isArmed() && follows())
        armCuda();
    const std::string news = m_cuda.collect();
    std::string said;
    {
        std::scoped_lock lock(m_mutex);
        if (!news.empty())
            m_cudaSaid = news;
        said = m_cudaSaid;
    }
    if (said != m_cudaWritten)
        m_log.processInfo("cupti", m_cudaWritten = said);
}

/// Writes the gaps of the whole process, including those that started before the log.
void Engine::writeGaps()
{
    for (const GapQueue::Change &change : m_gaps.take())
        if (change.reason.empty())
            m_log.gapEnds(std::nullopt, change.source, change.time);
        else
            m_log.gapBegins(std::nullopt, change.source, change.reason, std::max(change.time, m_startTime));
}

void Engine::takeSamples()
{
    const std::vector<Sample> samples = m_samples.take();
    if (records())
        for (const Sample &sample : samples)
            m_log.counters.row(sample.time, sample.time, sample.time, m_log.text(sample.name),
                               m_log.text(sample.series), sample.value);
    if (const std::string said = m_samples.said(); said != m_samplesWritten)
        m_log.processInfo("nvml", m_samplesWritten = said);
}

/// Writes whether Python stacks are recorded, and why not.
void Engine::sayStacks()
{
    if (m_stacks == StacksWay::None)
        return;
    if (wasEveryCallReplaced())
        tell("The program has replaced Riffle's profile function by one of its own: its Python calls are not recorded "
             "there.");
    const PythonStacksSaid said = stacksSaid(m_stacks);
    if (said.text == m_stacksWritten)
        return;
    m_log.processInfo("stacks", m_stacksWritten = said.text);
    if (said.isRefusal)
        tell(said.text);
}

/// Starts and ends the samples of Python stacks, as they are wanted.
void Engine::followPythonSamples(bool ends)
{
    PythonRuntime *python = attachedPython();
    const bool wanted = !ends && m_stacks == StacksWay::Sampled && python && python->threads().interpreter;
    if (!wanted) {
        m_pythonSamples.stop();
        m_sampleProblem.clear();
        return;
    }
    if (m_pythonSamples.isRunning() || !m_sampleProblem.empty())
        return;
    m_sampleProblem = m_pythonSamples.start(*python, m_options.stackSampleMs * 1'000'000);
    if (!m_sampleProblem.empty())
        tell(m_sampleProblem);
}

/// Writes the slices that the samples of Python stacks have given, and those that are open.
void Engine::takePythonSamples()
{
    const PythonSamples::Taken taken = m_pythonSamples.take();
    const uint32_t category = m_log.text(wire::kFrameCategory);
    for (const SampledSlice &slice : taken.ended)
        m_log.range({.thread = sampledLane(slice.osThread),
                     .start = slice.start,
                     .end = slice.end,
                     .name = m_log.text(*slice.name),
                     .category = category});
    for (const SampledSlice &slice : taken.open)
        m_log.openRanges.row(slice.start, slice.start, sampledLane(slice.osThread), slice.start,
                             m_log.text(*slice.name), category, 0, 0);
    m_drain.lose("python samples", taken.torn);
    if (taken.samples == m_samplesSaid)
        return;
    m_samplesSaid = taken.samples;
    const std::pair<const char *, uint64_t> figures[] = {{"python_samples", taken.samples},
                                                         {"python_samples_torn", taken.allTorn},
                                                         {"python_samples_moved", taken.moved}};
    for (const auto &[key, number] : figures)
        m_log.stats.row(now(), now(), m_log.text(key), static_cast<double>(number));
}

/// The log's index of the lane with the samples of a thread.
uint32_t Engine::sampledLane(uint32_t osThread)
{
    const auto [found, isNew] = m_sampledLanes.try_emplace(osThread, 0);
    if (!isNew)
        return found->second;
    std::string name;
    for (const ThreadLog *thread : m_known)
        if (thread->osThread() == static_cast<int>(osThread))
            name = thread->name();
    if (name.empty())
        std::getline(std::ifstream("/proc/self/task/" + std::to_string(osThread) + "/comm"), name);
    std::unique_lock lock(m_mutex);
    found->second = m_nextThread++;
    lock.unlock();
    m_log.thread(found->second, static_cast<int>(osThread), name, m_options.stackSampleMs * 1'000'000);
    return found->second;
}

/// The log's index of a thread that CUPTI names; 0 for the collector's own threads. A thread without an index gets a
/// new one.
uint32_t Engine::threadOf(uint32_t osThread)
{
    if (osThread == m_osThread || osThread == m_samples.osThread() || osThread == m_pythonSamples.osThread())
        return 0;
    if (const auto found = m_indexOfThread.find(osThread); found != m_indexOfThread.end())
        return found->second;
    for (const ThreadLog *thread : m_known)
        if (thread->osThread() == static_cast<int>(osThread))
            return m_indexOfThread[osThread] = thread->index();
    std::unique_lock lock(m_mutex);
    const uint32_t index = m_nextThread++;
    lock.unlock();
    m_log.thread(index, static_cast<int>(osThread), {});
    return m_indexOfThread[osThread] = index;
}

} // namespace riffle::collector
