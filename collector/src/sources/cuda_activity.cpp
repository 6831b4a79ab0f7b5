// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/cuda_activity.h"

#include "collector/src/clock.h"
#include "collector/src/loaded_library.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace riffle::collector {

namespace {

constexpr uint32_t kSystemThreadId = 1;
constexpr uint32_t kFlushForced = 1;
/// Since this CUPTI version (CUDA 12.9), CUPTI tolerates getting no buffer; earlier versions may crash.
constexpr uint32_t kMayRefuseFrom = 27;
constexpr int64_t kKnockEvery = 1'000'000'000;
constexpr int kUnanswered = 6; ///< unanswered knocks after which we assume that another profiler has CUPTI

constexpr const char *kYielded = "yielded to another profiler";

uint64_t monotonicStamp() { return static_cast<uint64_t>(now()); }
uint64_t realtimeStamp() { return static_cast<uint64_t>(nanoseconds(CLOCK_REALTIME)); }

struct Kind {
    uint32_t kind;
    const char *name;
};

std::vector<Kind> kindsOf(const Options &options)
{
    std::vector<Kind> kinds{{cupti::kDevice, "devices"},
                            {cupti::kContext, "contexts"},
                            {cupti::kStream, "streams"},
                            {cupti::kConcurrentKernel, "kernels"},
                            {cupti::kMemcpy, "copies"},
                            {cupti::kMemset, "memsets"},
                            {cupti::kMemcpyPeer, "copies between devices"},
                            {cupti::kRuntime, "runtime calls"}};
    if (options.preset != Options::Preset::Light)
        kinds.insert(kinds.end(), {{cupti::kDriver, "driver calls"},
                                   {cupti::kSynchronization, "synchronisation"},
                                   {cupti::kOverhead, "overhead"},
                                   {cupti::kExternalCorrelation, "external correlation"}});
    if (options.preset == Options::Preset::Memory)
        kinds.insert(kinds.end(), {{cupti::kMemory, "memory"}, {cupti::kMemoryPool, "memory pools"}});
    if (options.wholeGraphs)
        kinds.push_back({cupti::kGraphTrace, "graphs"});
    return kinds;
}

void ignored(void *, uint32_t, uint32_t, const void *) {}

/// Prints a line on standard error, once in the life of the process.
void sayOnce(std::atomic<bool> &said, const std::string &text)
{
    if (!said.exchange(true))
        std::fprintf(stderr, "riffle: %s\n", text.c_str());
}
std::atomic<bool> g_saidUnguarded{false}, g_saidTaken{false};

} // namespace

bool CudaActivity::subscribe(std::string &why)
{
    if (m_subscriber) // still ours after another profiler took over
        return true;
    cupti::Functions &cupti = m_library.functions;
    char holder[64] = {};
    cupti::SubscriberParams params{sizeof(params), "Riffle", holder, sizeof(holder)};
    const auto result = cupti.subscribeNamed ? cupti.subscribeNamed(&m_subscriber, ignored, nullptr, &params)
                                             : cupti.subscribe(&m_subscriber, ignored, nullptr);
    if (result == cupti::kSuccess)
        return true;
    m_subscriber = nullptr;
    holder[sizeof(holder) - 1] = 0;
    // An earlier subscriber is another profiler. If both shared CUPTI, one of them would lose its records.
    why = result == cupti::kMultipleSubscribers ? "another profiler holds CUPTI"
                                                : "CUPTI cannot be used (" + resultText(m_library, result) + ")";
    if (result == cupti::kMultipleSubscribers && *holder)
        why += std::string(" (") + holder + ")";
    return false;
}

/// Enables all kinds of records and returns a text that names those that could not be enabled.
std::string CudaActivity::enable(const Options &options, bool driverStarts)
{
    const cupti::Functions &cupti = m_library.functions;
    std::string missing;
    for (const auto &[kind, name] : kindsOf(options)) {
        // Devices, contexts and streams are reported only when they are created. enableAndDump() also reports those
        // that exist already.
        const auto result = cupti.enableAndDump && !driverStarts ? cupti.enableAndDump(kind) : cupti.enable(kind);
        if (result == cupti::kSuccess)
            m_enabled.push_back(kind);
        else
            missing += (missing.empty() ? "" : ", ") + std::string(name) + " (" + resultText(m_library, result) + ")";
    }
    return missing;
}

CudaActivity::Arming CudaActivity::arm(const Options &options, Moment moment, std::string &said)
{
    std::scoped_lock lock(m_arming);
    if (isArmed())
        return Arming::Armed;
    if (isYielding()) {
        m_heldBack = m_heldBack ? m_heldBack : now();
        return Arming::Later;
    }
    const std::string nothing = options.preset == Options::Preset::Memory
                                    ? ": no kernels and no GPU memory are recorded"
                                    : ": no kernels are recorded";
    if (!cudaDriverWorks(moment.driverStarts, said) || (m_library.path.empty() && !findCupti(m_library, said))) {
        said += nothing;
        m_library = {};
        return Arming::Later;
    }
    cupti::Functions &cupti = m_library.functions;
    const auto refused = [&](const std::string &why) {
        said = why + nothing;
        if (m_subscriber)
            cupti.unsubscribe(m_subscriber);
        m_subscriber = nullptr;
        return Arming::Refused;
    };
    std::string why;
    if (!subscribe(why))
        return refused(why);
    if (cupti.setThreadIdType)
        cupti.setThreadIdType(kSystemThreadId);
    m_ownClock = cupti.registerTimestamp && cupti.registerTimestamp(monotonicStamp) == cupti::kSuccess;
    m_buffers.begin(options.memoryLimit / 2, m_library.version >= kMayRefuseFrom);
    if (const auto result = cupti.registerCallbacks(CuptiBuffers::requested, CuptiBuffers::completed);
        result != cupti::kSuccess)
        return refused("CUPTI does not accept our buffers (" + resultText(m_library, result) + ")");
    m_decoder.use(&m_library);
    if (m_ownClock)
        m_decoder.clock().same();
    readClock();
    if (size_t earlier = 0; cupti.droppedRecords)
        cupti.droppedRecords(nullptr, 0, &earlier); // those of an earlier user of CUPTI are not ours
    m_lastReport = now();
    m_enabled.clear();
    const std::string missing = enable(options, moment.driverStarts);
    if (m_enabled.empty())
        return refused("CUPTI records nothing here, not even " + missing.substr(0, missing.find(',')));
    said = "CUPTI " + std::to_string(m_library.version) + " is recording";
    if (!missing.empty())
        said += ", but not " + missing;
    if (!moment.guarded && !loadedLibrary("libtorch_cpu.so").empty()) {
        const std::string warning =
            " in this process yields to torch.profiler, which would take the GPU's records away from Riffle";
        said += "; nothing" + warning;
        sayOnce(g_saidUnguarded,
                "Nothing" + warning + ". Use Riffle's Python package in the process, or call riffle_yield_cuda().");
    }
    findFunction(loadedHandle("libcudart.so"), "cudaRuntimeGetVersion", m_knock);
    m_answers = m_decoder.ownCalls();
    m_unanswered = 0;
    m_lastAnswer = 0;
    m_taken = false;
    if (m_heldBack)
        m_gaps.begins(wire::kCudaSource, kYielded, m_heldBack);
    m_heldBack = 0;
    m_gaps.ends(wire::kCudaSource, now());
    m_armed.store(true, std::memory_order_release);
    return Arming::Armed;
}

void CudaActivity::yield()
{
    std::scoped_lock lock(m_arming);
    ++m_yields;
}

bool CudaActivity::resume()
{
    std::scoped_lock lock(m_arming);
    if (isYielding())
        --m_yields;
    return !isYielding();
}

void CudaActivity::keep(bool on, bool anew)
{
    // A buffer with a very long kernel comes back late, and with it the records of everything beside that kernel.
    constexpr size_t kMost = 64 << 10;
    std::scoped_lock lock(m_keeping);
    if (anew) {
        m_windows.clear();
        m_decoder.restart();
        m_dropped = m_reportedLoss = m_missing = m_missed = 0;
    }
    if (on == (!m_windows.empty() && m_windows.back().end == INT64_MAX))
        return;
    if (!on)
        m_windows.back().end = now();
    else
        m_windows.push_back({now(), INT64_MAX});
    if (m_windows.size() > kMost)
        m_windows.erase(m_windows.begin(), m_windows.begin() + kMost / 2);
}

/// Compares CUPTI's clock with ours, unless CUPTI uses ours.
void CudaActivity::readClock()
{
    if (m_ownClock)
        return;
    constexpr int kTries = 3; // the thread may be interrupted between two readings
    int64_t best = INT64_MAX, stamp = 0, time = 0;
    for (int tries = 0; tries < kTries; ++tries) {
        uint64_t read = 0;
        const int64_t before = now();
        if (!m_library.functions.timestamp || m_library.functions.timestamp(&read) != cupti::kSuccess)
            read = realtimeStamp();
        if (const int64_t took = now() - before; took < best) {
            best = took;
            stamp = static_cast<int64_t>(read);
            time = before + took / 2;
        }
    }
    m_decoder.clock().add(stamp, time);
}

/// CUPTI returns buffers on a thread of its own, after the flush has returned. Waits until all have come back, or none
/// has for a while: CUPTI may keep empty ones.
void CudaActivity::awaitBuffers()
{
    constexpr int64_t kQuiet = 500'000'000, kQuietIfEmpty = 50'000'000, kLongest = 1'000'000'000;
    const int64_t begin = now();
    int64_t lastNews = begin;
    size_t missing = m_buffers.atCupti();
    const auto quiet = [this] { return m_buffers.owesRecords() ? kQuiet : kQuietIfEmpty; };
    while (missing > 0 && now() - lastNews < quiet() && now() - begin < kLongest) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (const size_t left = m_buffers.atCupti(); left != missing) {
            missing = left;
            lastNews = now();
        }
    }
}

size_t CudaActivity::decodeCompleted(bool last)
{
    const std::vector<CuptiBuffers::Buffer> completed = m_buffers.takeCompleted();
    if (!completed.empty()) {
        std::scoped_lock lock(m_keeping);
        m_decoder.keepOnly(m_windows);
    }
    for (const CuptiBuffers::Buffer &buffer : completed) {
        if (buffer.valid > 0)
            m_decoder.decode(buffer.memory, buffer.valid);
        m_buffers.giveBack(buffer);
    }
    m_decoder.finish(last);
    return completed.size();
}

void CudaActivity::report()
{
    size_t dropped = 0;
    if (m_library.functions.droppedRecords &&
        m_library.functions.droppedRecords(nullptr, 0, &dropped) == cupti::kSuccess)
        m_dropped += dropped;
    const int64_t time = now();
    const uint64_t lost = m_dropped + m_decoder.withoutTime();
    if (lost > m_reportedLoss)
        m_log.loss.row(m_lastReport, time, m_log.text("cupti"), lost - m_reportedLoss, m_lastReport,
                       time - m_lastReport);
    m_reportedLoss = lost;
    m_lastReport = time;
}

/// Detects that another profiler has registered its own callbacks. CUPTI does not report that; it just never calls ours
/// again. So we make a harmless CUDA call from time to time, which CUPTI must report to us. If such calls were reported
/// before and then several are not, CUPTI reports to another profiler.
std::string CudaActivity::watchForOthers(size_t buffers)
{
    const int64_t time = now();
    if (m_taken) {
        if (buffers == 0)
            return {};
        m_taken = false; // no other profiler: a very long kernel has held all records back
        m_unanswered = 0;
        m_gaps.withdraw(wire::kCudaSource);
        return "CUPTI " + std::to_string(m_library.version) + " is recording again";
    }
    const bool starved = m_buffers.refused() != m_refusedBefore;
    m_refusedBefore = m_buffers.refused();
    if (m_decoder.ownCalls() != m_answers || starved) {
        m_answers = m_decoder.ownCalls();
        m_lastAnswer = time;
        m_unanswered = 0;
        return {};
    }
    if (m_lastAnswer == 0 || m_unanswered < kUnanswered)
        return {};
    m_taken = true;
    m_log.loss.row(m_lastAnswer, time, m_log.text("cupti: buffers that another profiler has taken"),
                   m_buffers.atCupti(), m_lastAnswer, time - m_lastAnswer);
    m_gaps.begins(wire::kCudaSource, "another profiler has taken over CUPTI", m_lastAnswer);
    sayOnce(g_saidTaken, "Another profiler has taken over CUPTI: no kernels are recorded any more.");
    return "another profiler has taken over CUPTI: no kernels are recorded any more";
}

void CudaActivity::settle(int64_t time)
{
    Loss lost;
    m_settled = m_decoder.launches().settle(time, lost);
    // Records that CUPTI counts as dropped are lost only once.
    const uint64_t before = std::max(m_missing, m_dropped), after = std::max(m_missing + lost.count, m_dropped);
    m_missing += lost.count;
    m_missed += after - before;
    if (after > before)
        m_log.loss.row(lost.first, lost.last, m_log.text("cupti: launched kernels without a record"), after - before,
                       lost.first, lost.last - lost.first);
}

/// Decodes buffers that come back after CUPTI has been left.
void CudaActivity::decodeLate()
{
    std::unique_lock lock(m_arming, std::try_to_lock); // arm() may take long, and collect() comes again
    if (lock && !isArmed() && m_library.functions.nextRecord && !m_taken)
        decodeCompleted(true);
}

/// Counts what will be missing in the log, now that CUPTI has been left.
void CudaActivity::countMissing(int64_t since)
{
    settle(INT64_MAX);
    m_settled.reset();
    const int64_t time = now();
    const size_t late = m_buffers.takeLate();
    if (late > 0)
        m_log.loss.row(since, time, m_log.text("cupti: buffers that have not come back"), late, since, time - since);
    m_missed += late;
}

std::string CudaActivity::collect()
{
    m_settled.reset();
    if (!isArmed()) {
        decodeLate();
        return {};
    }
    const int64_t asked = now();
    if (!m_taken) {
        int version = 0;
        if (m_knock && now() - m_lastKnock >= kKnockEvery && m_knock(&version) == 0) {
            m_lastKnock = now();
            ++m_unanswered;
        }
        // Never forced while kernels may run: a running kernel would come back without its end.
        m_library.functions.flushAll(0);
        readClock();
    }
    const size_t buffers = decodeCompleted(false);
    const std::string news = watchForOthers(buffers);
    if (!m_taken) {
        report();
        settle(asked);
    }
    return news;
}

void CudaActivity::disarm()
{
    std::scoped_lock lock(m_arming);
    if (!isArmed())
        return;
    if (isYielding())
        m_gaps.begins(wire::kCudaSource, kYielded, now());
    cupti::Functions &cupti = m_library.functions;
    if (!m_taken) { // otherwise everything belongs to the other profiler now
        for (const uint32_t kind : m_enabled)
            cupti.disable(kind);
        cupti.flushAll(kFlushForced);
        awaitBuffers();
        readClock();
        if (m_ownClock) // other profilers rely on CUPTI's own clock
            cupti.registerTimestamp(realtimeStamp);
        cupti.unsubscribe(m_subscriber);
        m_subscriber = nullptr;
    }
    decodeCompleted(true);
    if (!m_taken) {
        const int64_t since = m_lastReport;
        report();
        countMissing(since);
    }
    m_decoder.launches().clear();
    m_armed.store(false, std::memory_order_release);
}

} // namespace riffle::collector
