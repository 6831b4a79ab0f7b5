// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/limits.h"

#include "tests/support/inflate_limits.h"
#include "tests/support/mapped_text.h"
#include "tests/support/reference_parser.h"
#include "tests/support/reference_splitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

namespace riffle::bench {

namespace {

template <typename Work>
void onAllCores(unsigned cores, Work work)
{
    std::vector<std::jthread> threads;
    for (unsigned core = 1; core < cores; ++core)
        threads.emplace_back([&work, core] { work(core); });
    work(0);
}

double threadCpuSeconds()
{
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::uint64_t sumWords(std::string_view bytes)
{
    std::uint64_t sums[4] = {};
    std::size_t i = 0;
    for (; i + sizeof sums <= bytes.size(); i += sizeof sums) {
        std::uint64_t words[4];
        std::memcpy(words, bytes.data() + i, sizeof words);
        for (int lane = 0; lane < 4; ++lane)
            sums[lane] += words[lane];
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

bool measureRead(const std::filesystem::path &path, unsigned cores, double &best)
{
    std::atomic<std::uint64_t> total = 0;
    const Stopwatch watch;
    const MappedText text(path);
    if (!text.isValid())
        return false;
    constexpr std::size_t kPiece = std::size_t(4) << 20;
    std::atomic<std::size_t> next = 0;
    onAllCores(cores, [&](unsigned) {
        std::uint64_t sum = 0;
        for (std::size_t at = next.fetch_add(kPiece); at < text.view().size(); at = next.fetch_add(kPiece))
            sum += sumWords(text.view().substr(at, kPiece));
        total += sum;
    });
    best = std::min(best, watch.seconds());
    return total.load() != 0;
}

void measureParse(const std::vector<std::string_view> &batches, unsigned cores, Limits &limits)
{
    std::vector<std::unique_ptr<ReferenceParser>> parsers(cores);
    std::vector<double> cpu(cores);
    std::atomic<std::size_t> next = 0;
    const Stopwatch watch;
    onAllCores(cores, [&](unsigned core) {
        const double before = threadCpuSeconds();
        parsers[core] = std::make_unique<ReferenceParser>();
        for (std::size_t i = next.fetch_add(1); i < batches.size(); i = next.fetch_add(1))
            parsers[core]->parse(batches[i]);
        cpu[core] = threadCpuSeconds() - before;
    });
    limits.parseSeconds = std::min(limits.parseSeconds, watch.seconds());
    limits.parseCpuSeconds = std::min(limits.parseCpuSeconds, std::accumulate(cpu.begin(), cpu.end(), 0.0));
    limits.events = 0;
    limits.badBatches = 0;
    for (const auto &parser : parsers) {
        limits.events += parser->columns().ph.size();
        limits.badBatches += parser->columns().badEvents;
    }
}

std::string line(std::string_view what, std::uint64_t bytes, double seconds, std::string_view how)
{
    return fmt::format("{:<22} {:>8.3f} s {:>7.2f} GB/s   {}\n", what, seconds,
                       static_cast<double>(bytes) / seconds / 1e9, how);
}

} // namespace

std::optional<Limits> measureLimits(const std::filesystem::path &path, const LimitsOptions &options)
{
    Limits limits;
    limits.cores = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
    limits.readSeconds = limits.splitSeconds = limits.parseSeconds = limits.parseCpuSeconds =
        std::numeric_limits<double>::infinity();
    const int repeats = std::max(1, options.repeats);
    for (int i = 0; i < repeats; ++i) {
        if (!measureRead(path, limits.cores, limits.readSeconds))
            return std::nullopt;
    }
    const MappedText text(path);
    if (!text.isValid())
        return std::nullopt;
    limits.bytes = text.view().size();
    std::vector<std::string_view> batches;
    [[maybe_unused]] const volatile std::uint64_t pagesTouched = sumWords(text.view());
    for (int i = 0; i < repeats; ++i) {
        const Stopwatch watch;
        batches = splitEvents(text.view());
        limits.splitSeconds = std::min(limits.splitSeconds, watch.seconds());
    }
    limits.batches = batches.size();
    for (int i = 0; i < repeats; ++i)
        measureParse(batches, limits.cores, limits);
    if (!options.gzipPath.empty())
        limits.igzip = measureIgzip(options.gzipPath, repeats);
    if (!options.zstdPath.empty())
        limits.zstd = measureZstd(options.zstdPath, repeats);
    return limits;
}

std::string formatLimits(const Limits &limits)
{
    std::string text = fmt::format("{} bytes, {} events, {} batches, {} cores\n", limits.bytes, limits.events,
                                   limits.batches, limits.cores);
    text += line("read", limits.bytes, limits.readSeconds, "mapped and summed, all cores");
    text += line("splitter", limits.bytes, limits.splitSeconds, "one core");
    text += line("On-Demand", limits.bytes, limits.parseSeconds, "same fields into columns, all cores");
    text += line("On-Demand, a core", limits.bytes, limits.parseCpuSeconds, "by processor time of all threads");
    text += line("splitter, On-Demand", limits.bytes, limits.sequentialSeconds(), "one after the other");
    if (limits.igzip)
        text += line("igzip", limits.igzip->textBytes, limits.igzip->seconds, "of text, one core");
    if (limits.zstd)
        text += line("zstd", limits.zstd->textBytes, limits.zstd->seconds, "of text, one core");
    if (limits.badBatches > 0)
        text += fmt::format("{} batches could not be read\n", limits.badBatches);
    return text;
}

} // namespace riffle::bench
