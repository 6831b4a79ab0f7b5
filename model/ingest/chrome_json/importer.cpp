// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/chrome_json/importer.h"

#include "model/base/decimal.h"
#include "model/base/parallel.h"
#include "model/ingest/chrome_json/batch_queue.h"
#include "model/ingest/chrome_json/batch_reader.h"
#include "model/ingest/chrome_json/document.h"
#include "model/ingest/chrome_json/trimmed_part.h"
#include "model/ingest/chrome_json/valid_event.h"
#include "model/ingest/preview_collector.h"
#include "model/trace/json_entries.h"
#include "model/trace/trace_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

namespace riffle {

namespace {

constexpr WideInteger kOriginStep = 1'000'000'000'000'000'000; ///< ns: 31.7 years

/// One pass over the source, which fills a builder.
class Pass {
public:
    Pass(ByteSource &source, TraceBuilder &builder, PartFilter filter, WideInteger origin, const Task &task)
        : m_source(source)
        , m_feed(source)
        , m_task(task)
    {
        for (unsigned worker = 0; worker < workerCount(); ++worker) {
            m_writers.push_back(&builder.newWriter());
            m_sinks.push_back(std::make_unique<EventSink>(*m_writers.back(), filter, origin));
        }
    }

    void showPreview(const std::function<void(const LoadPreview &)> &deliver)
    {
        if (deliver)
            m_preview = std::make_unique<PreviewCollector>(deliver, workerCount());
    }

    Result<void> run()
    {
        ChromeDocument document(m_feed, m_report);
        const Result<void> read = document.read([this] { return readEvents(); });
        m_metadata = document.metadata();
        if (m_task.stopped())
            return Error{"The import was cancelled.", {}, std::nullopt, ErrorKind::Cancelled};
        if (m_feed.error())
            return *m_feed.error();
        if (m_hopeless)
            return Error{"This JSON contains no trace: the first GiB of its list contains no event.", {}, std::nullopt};
        // Pages of a mapped file that are lost in the meantime read as zeros; reading its text again reports the loss.
        if (m_feed.wholeInMemory())
            if (const auto whole = m_source.text()->read(0, 0); !whole)
                return whole.error();
        return read;
    }

    /// Returns the origin from which the times fit into 64 bits if most of them do not as they are: the first time that
    /// does not fit, rounded down to a multiple of kOriginStep, so that parts of the trace have the same origin.
    std::optional<WideInteger> farOrigin() const
    {
        EventSink::Times times;
        for (const auto &sink : m_sinks)
            times.add(sink->times());
        if (times.far <= times.near || times.firstOffset == UINT64_MAX)
            return std::nullopt;
        const WideInteger rest = times.first % kOriginStep;
        return times.first - rest - (rest < 0 ? kOriginStep : 0);
    }

    ImportReport &report() { return m_report; }
    uint64_t textBytes() const { return m_feed.offset() + m_feed.text().size(); }
    const std::vector<std::pair<std::string, std::string>> &metadata() const { return m_metadata; }

private:
    /// True if there is no event although much of the list was read, so that the rest is not worth reading.
    bool isHopeless(uint64_t bytesRead)
    {
        constexpr uint64_t kEnough = 1 << 30;
        m_hopeless = m_hopeless || (m_events == 0 && bytesRead > m_listBegin + kEnough);
        return m_hopeless;
    }

    bool readEvents()
    {
        m_listBegin = m_feed.offset();
        BatchQueue queue(m_feed, workerCount());
        parallelWorkers([&](unsigned worker) { work(queue, worker); });
        queue.finish();
        return queue.listEnded();
    }

    void work(BatchQueue &queue, unsigned worker)
    {
        TraceWriter &writer = *m_writers[worker];
        BatchReader reader(*m_sinks[worker], m_task);
        while (!m_task.stopped()) {
            std::optional<uint64_t> discardFrom;
            const std::optional<Batch> batch = queue.next(worker, discardFrom);
            if (discardFrom) {
                writer.discardFrom(*discardFrom);
                m_sinks[worker]->forgetCaches();
                continue;
            }
            if (!batch)
                return;
            writer.beginBatch(batch->sequence);
            const BatchResult result = reader.read(*batch, writer.report());
            if (m_preview && !writer.outOfMemory())
                m_preview->batchRead(worker, writer);
            m_events += reader.takeEvents();
            queue.done(*batch, result);
            if (writer.outOfMemory() || isHopeless(queue.bytesVerified()))
                break;
            if (m_task.progress) {
                m_task.progress->bytesTotal = m_source.fileBytes();
                m_task.progress->bytesDone = m_feed.wholeInMemory() ? queue.bytesVerified() : m_source.fileBytesRead();
            }
        }
        queue.cancel();
    }

    ByteSource &m_source;
    SourceFeed m_feed;
    const Task &m_task;
    ImportReport m_report;
    std::vector<TraceWriter *> m_writers;
    std::vector<std::unique_ptr<EventSink>> m_sinks;
    std::unique_ptr<PreviewCollector> m_preview;
    uint64_t m_listBegin = 0;
    std::atomic<uint64_t> m_events{0};
    std::atomic<bool> m_hopeless{false};
    std::vector<std::pair<std::string, std::string>> m_metadata;
};

std::optional<int64_t> wholeNumber(std::string_view raw) { return decimalToInteger(plainText(raw), 0); }

/// Returns the value of a top-level key as a trimmed file contains it, so that both files say the same: repaired if it
/// is damaged; empty if it cannot be repaired.
std::string validValue(std::string_view key, std::string_view value)
{
    const std::string entry = ValidEvent().ofEntry(fmt::format(R"({{"{}": {}}})", key, value));
    const std::vector<JsonEntry> parts = entriesOf(entry);
    return parts.empty() ? std::string() : std::string(parts.front().value);
}

void readRank(std::string_view distributedInfo, TraceInfo &info)
{
    info.rank.reset();
    info.worldSize.reset();
    for (const JsonEntry &part : entriesOf(distributedInfo)) {
        if (part.key == "rank")
            info.rank = wholeNumber(part.value);
        else if (part.key == "world_size")
            info.worldSize = wholeNumber(part.value);
    }
}

TraceInfo describe(const std::string &path, const ByteSource &source,
                   std::vector<std::pair<std::string, std::string>> metadata, uint64_t textBytes)
{
    TraceInfo info;
    info.path = path;
    info.container = source.container();
    info.fileBytes = source.fileBytes();
    info.textBytes = textBytes;
    info.format = "Chrome JSON";
    // The entries are in file order: if a key occurs twice, the later value counts.
    for (const auto &[key, value] : metadata) {
        if (key == "schemaVersion" && !value.starts_with('"'))
            info.format = "Kineto JSON";
        else if (key == "schemaVersion" || key == "span_indx")
            info.format = "Paddle JSON";
        else if (key == "deviceProperties" && info.format == "Chrome JSON")
            info.format = "Kineto JSON";
        else if (key == "baseTimeNanoseconds")
            info.baseTimeNs = wholeNumber(validValue(key, value));
        else if (key == "distributedInfo")
            readRank(validValue(key, value), info);
    }
    info.metadata = std::move(metadata);
    return info;
}

/// True if a category that only Kineto writes is among the first strings.
bool namesKinetoCategory(const StringTable &strings)
{
    const uint32_t most = std::min<uint32_t>(strings.count(), 4096);
    for (uint32_t id = 1; id < most; ++id)
        for (const std::string_view category : {"cpu_op", "Operator", "cuda_runtime", "gpu_memcpy"})
            if (strings.at(id) == category)
                return true;
    return false;
}

/// Returns the error with the damage of the archive, if there is any: it explains why the text is no trace.
Error explained(const Error &error, const ByteSource &source, uint64_t textBytes)
{
    const std::optional<Error> damage = source.damage();
    if (!damage || error.kind != ErrorKind::Unreadable)
        return error;
    return {textBytes ? damage->message + " " + error.message : damage->message, error.file, std::nullopt};
}

/// Reads the source with times that count from `origin`. If the origin is 0 and most times do not fit into 64 bits,
/// sets `origin` to the one from which they fit, and returns an error.
Result<std::shared_ptr<const Trace>> readFromOrigin(const std::string &path,
                                                    const std::function<Result<std::unique_ptr<ByteSource>>()> &reopen,
                                                    const ImportOptions &options, const Task &task, WideInteger &origin)
{
    const Error far{"The times do not fit into 64 bits.", path, std::nullopt};
    const auto isFar = [&origin](const Pass &pass) {
        const std::optional<WideInteger> found = origin == 0 ? pass.farOrigin() : std::nullopt;
        origin = found.value_or(origin);
        return found.has_value();
    };
    const auto began = std::chrono::steady_clock::now();
    std::optional<KeptPart> part;
    if (options.range || options.steps) {
        const auto source = reopen();
        if (!source)
            return source.error();
        Result<KeptPart> resolved = resolvePart(options, task, [&](TraceBuilder &scan, PartFilter filter) {
            Pass pass(**source, scan, filter, origin, task);
            const Result<void> read = pass.run();
            if (!read)
                return Result<TimeSpan>(explained(read.error(), **source, pass.textBytes()));
            if (isFar(pass))
                return Result<TimeSpan>(far);
            const auto trimmed = TrimmedPart::in(pass.metadata());
            return Result<TimeSpan>(trimmed ? trimmed->recorded : TimeSpan{});
        });
        if (!resolved)
            return resolved.error().in(path);
        part = std::move(*resolved);
    }
    const auto source = reopen();
    if (!source)
        return source.error();
    TraceBuilder builder(columnMemory(options));
    builder.collectRowless(options.rowless);
    Pass pass(**source, builder, PartFilter(part ? &*part : nullptr), origin, task);
    pass.showPreview(options.preview);
    if (const Result<void> read = pass.run(); !read)
        return explained(read.error(), **source, pass.textBytes()).in(path);
    if (isFar(pass))
        return far;
    if (const auto damage = (*source)->damage())
        pass.report().add(Trouble::TruncatedArchive, damage->offset.value_or(0), damage->message);
    if (const auto trailing = (*source)->trailing())
        pass.report().add(Trouble::TrailingText, trailing->offset.value_or(0), trailing->message);
    TraceInfo info = describe(path, **source, pass.metadata(), pass.textBytes());
    if (origin != 0) {
        info.baseTimeNs.reset(); // it belongs to the times as they are written
        pass.report().add(Trouble::FarTimes, 0, {});
    }
    if (part) {
        info.part = part->span;
        info.partSteps = options.steps;
    }
    if (const auto trimmed = TrimmedPart::in(info.metadata)) {
        if (options.steps && !trimmed->holds(*options.steps, part->span))
            return Error{"This file contains only a part of the trace, which does not contain all of these steps.",
                         path, std::nullopt};
        trimmed->describe(info);
    }
    builder.completeWith([began](Trace &trace) {
        if (trace.info.format == "Chrome JSON" && namesKinetoCategory(trace.strings))
            trace.info.format = "Kineto JSON";
        trace.info.loadSeconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    });
    auto sealed = builder.seal(std::move(info), (*source)->text(), pass.report(), task);
    if (!sealed)
        return sealed.error();
    const Trace &trace = **sealed;
    const bool nothing = trace.info.events == 0 && trace.report.of(Trouble::NotAnEvent).count +
                                                           trace.report.of(Trouble::SkippedText).count +
                                                           trace.report.of(Trouble::BrokenEvent).count >
                                                       0;
    if (nothing)
        return explained({"This JSON contains no trace: none of its entries is an event.", path, std::nullopt},
                         **source, pass.textBytes());
    if (task.progress)
        task.progress->stage = Progress::Stage::Done;
    return sealed;
}

} // namespace

Result<std::shared_ptr<const Trace>>
importChromeJson(const std::string &path, const std::function<Result<std::unique_ptr<ByteSource>>()> &reopen,
                 const ImportOptions &options, Task task)
{
    WideInteger origin = 0;
    auto trace = readFromOrigin(path, reopen, options, task, origin);
    return trace || origin == 0 ? trace : readFromOrigin(path, reopen, options, task, origin);
}

} // namespace riffle
