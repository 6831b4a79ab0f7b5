// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/trimmed_trace.h"

#include "model/base/quoted_text.h"
#include "model/ingest/chrome_json/trimmed_part.h"
#include "model/ingest/chrome_json/valid_event.h"
#include "model/ingest/collector_log/json_text.h"
#include "model/ingest/importers.h"
#include "model/trace/details.h"
#include "model/trace/source_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace riffle {

namespace {

constexpr uint64_t kReadAtOnce = 1 << 20; ///< bytes of source text per read
constexpr uint64_t kGap = 4096;           ///< bytes; gaps up to this size are read rather than skipped

/// Returns the places of the texts of all events of a trace, in the order of the source and without duplicates.
std::vector<TextPlace> placesOf(const Trace &trace, std::vector<TextPlace> rowless)
{
    std::vector<TextPlace> places = std::move(rowless);
    const auto take = [&](const auto &table) {
        for (size_t row = 0; row < table.sourceOffset.size(); ++row)
            if (table.sourceLength[row])
                places.push_back({table.sourceOffset[row], table.sourceLength[row]});
    };
    for (const auto &segment : trace.segments)
        take(segment->slices);
    take(trace.instants);
    take(trace.memory);
    take(trace.counters);
    take(trace.flows);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
}

/// The events with which Kineto writes names and arrows, for a source that has no text for them.
class KinetoNames {
public:
    explicit KinetoNames(const Trace &trace) : m_trace(trace) {}

    std::vector<std::string> texts()
    {
        for (const Process &process : m_trace.processes) {
            add("process_name", process.pid, {}, "name", m_trace.string(process.name.value));
            add("process_labels", process.pid, {}, "labels", m_trace.string(process.labels.value));
        }
        for (uint32_t id = 0; id < m_trace.lanes.size(); ++id) {
            const Lane &lane = m_trace.lanes[id];
            if (!lane.empty && (lane.kind == LaneKind::Thread || lane.kind == LaneKind::Stream))
                add("thread_name", m_trace.processes[lane.process.value].pid, lane.tid, "name",
                    m_trace.laneName(LaneId(id)));
        }
        arrows();
        return std::move(m_texts);
    }

private:
    void add(const char *what, RawId pid, RawId tid, const char *key, std::string_view text)
    {
        const bool isText = pid.kind == RawId::Kind::Text || tid.kind == RawId::Kind::Text;
        if (text.empty() || isText) // a text is a name
            return;
        std::string value;
        appendJsonString(value, text);
        m_texts.push_back(fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", what,
                                      pid.bits, tid.bits, key, value));
    }

    void arrows()
    {
        forEachDetail(m_trace, &Segment::device, [&](const Segment &segment, uint32_t at, uint32_t row) {
            const auto work = m_trace.slice(segment.idAt(at));
            const auto launch = m_trace.slice(m_trace.launchOf(segment, row));
            if (!work || !launch || m_trace.string(work->data.category) == "cuda_sync")
                return;
            arrow('s', work->data.correlation, *launch, "");
            arrow('f', work->data.correlation, *work, R"(,"bp":"e")");
        });
    }

    void arrow(char phase, int64_t id, const Slice &at, const char *more)
    {
        const Lane &lane = m_trace.lanes[at.lane.value];
        std::string time;
        appendMicroseconds(time, at.data.start);
        m_texts.push_back(fmt::format(R"({{"ph":"{}","id":{},"pid":{},"tid":{},"ts":{},"cat":"ac2g","name":"ac2g"{}}})",
                                      phase, id, m_trace.processes[lane.process.value].pid.bits, lane.tid.bits, time,
                                      more));
    }

    const Trace &m_trace;
    std::vector<std::string> m_texts;
};

class TrimmedWriter {
public:
    TrimmedWriter(const Trace &trace, const TextSink &sink, const Task &task, const JsonRewrite &rewrite)
        : m_trace(trace)
        , m_sink(sink)
        , m_task(task)
        , m_rewrite(rewrite)
    {
    }

    Result<void> write(const std::vector<TextPlace> &places, const std::vector<std::string> &more)
    {
        m_out = fmt::format("{{\n{}\"traceEvents\": [", head());
        Result<void> good;
        const bool hasApartTexts = m_trace.source->hasTypedArguments();
        for (size_t at = 0; good && at < places.size();) {
            const size_t next = hasApartTexts ? at + 1 : readTogether(places, at);
            good = copy({places.data() + at, next - at});
            at = next;
        }
        for (size_t at = 0; good && at < more.size(); ++at)
            good = append(more[at]);
        m_out += "\n]\n}\n";
        return good ? m_sink(m_out) : good;
    }
    uint64_t events() const { return m_events; }

private:
    /// Returns the top-level keys other than the event list, with a comma after each entry.
    std::string head()
    {
        const TraceInfo &info = m_trace.info;
        std::map<std::string, size_t> last; // if a key occurs twice, the last value counts
        for (size_t at = 0; at < info.metadata.size(); ++at)
            last[info.metadata[at].first] = at;
        std::string out;
        if (info.format != "Chrome JSON" && info.format != "Paddle JSON" && !last.contains("schemaVersion"))
            out += "\"schemaVersion\": 1,\n";
        if (info.baseTimeNs && !last.contains("baseTimeNanoseconds"))
            out += fmt::format("\"baseTimeNanoseconds\": {},\n", *info.baseTimeNs);
        for (size_t at = 0; at < info.metadata.size(); ++at) {
            const auto &[key, value] = info.metadata[at];
            if (last[key] == at && key != kTrimmedKey && key != "traceEvents")
                out += entry(key, value, m_rewrite);
        }
        const TrimmedPart part{info.part.value_or(TimeSpan{}), info.partSteps, info.recorded};
        return out + entry(std::string(kTrimmedKey), part.text(), {});
    }

    std::string entry(const std::string &key, const std::string &value, const JsonRewrite &rewrite)
    {
        std::string text = "{";
        appendJsonString(text, key);
        text += fmt::format(": {}}}", value);
        std::string valid = m_valid.ofEntry(std::move(text));
        if (rewrite && !valid.empty())
            rewrite(valid);
        return valid.empty() ? std::string() : fmt::format("{},\n", valid.substr(1, valid.size() - 2));
    }

    /// Returns the index after the last place that is read together with the one at `at`.
    static size_t readTogether(const std::vector<TextPlace> &places, size_t at)
    {
        const uint64_t begin = places[at].offset;
        uint64_t end = begin + places[at].length;
        size_t next = at + 1;
        for (; next < places.size() && places[next].offset - std::min(end, places[next].offset) <= kGap; ++next) {
            const uint64_t reach = std::max(end, places[next].offset + places[next].length);
            if (reach - begin > kReadAtOnce)
                break;
            end = reach;
        }
        return next;
    }

    Result<void> copy(std::span<const TextPlace> places)
    {
        if (m_task.stopped())
            return Error{"Trimming was cancelled.", {}, std::nullopt, ErrorKind::Cancelled};
        const uint64_t begin = places.front().offset;
        uint64_t end = begin;
        for (const TextPlace &place : places)
            end = std::max(end, place.offset + place.length);
        Result<std::string> text = m_trace.source->read(begin, static_cast<uint32_t>(end - begin));
        if (!text)
            return text.error();
        text->resize(text->size() + ValidEvent::kReach);
        for (const TextPlace &place : places) {
            const std::string_view valid =
                m_valid.of(std::string_view(*text).substr(static_cast<size_t>(place.offset - begin), place.length));
            if (valid.empty()) // the event was valid or repairable when the trace was read
                return Error{"The file changed while it was being read.", m_trace.info.path, place.offset,
                             ErrorKind::Changed};
            if (const Result<void> good = append(valid); !good)
                return good;
            if (m_task.progress)
                m_task.progress->bytesDone += place.length;
        }
        return {};
    }

    Result<void> append(std::string_view event)
    {
        m_out += m_events++ ? ",\n" : "\n";
        if (m_rewrite) {
            m_rewritten = event;
            m_rewrite(m_rewritten);
            event = m_rewritten;
        }
        m_out += event;
        if (m_out.size() < kReadAtOnce)
            return {};
        const Result<void> good = m_sink(m_out);
        m_out.clear();
        return good;
    }

    const Trace &m_trace;
    const TextSink &m_sink;
    const Task &m_task;
    const JsonRewrite &m_rewrite;
    ValidEvent m_valid;
    std::string m_rewritten;
    std::string m_out; ///< text that is not yet written
    uint64_t m_events = 0;
};

} // namespace

Result<TrimmedTrace> writeTrimmedTrace(const std::string &path, ImportOptions options, const TextSink &sink,
                                       const Task &task, const JsonRewrite &rewrite)
{
    std::vector<TextPlace> rowless;
    options.rowless = &rowless;
    const auto read = importTrace(path, options, task);
    if (!read)
        return read.error();
    const Trace &trace = **read;
    if (trace.sliceCount() + trace.instants.time.size() + trace.memory.time.size() + trace.counters.time.size() +
            trace.flows.time.size() ==
        0)
        return Error{"The trace has nothing in this range.", path, std::nullopt};
    const std::vector<TextPlace> places = placesOf(trace, std::move(rowless));
    const bool lacksNames = traceImporterOf(path).textLacksNames;
    if (task.progress) {
        task.progress->stage = Progress::Stage::Writing;
        task.progress->bytesDone = 0;
        uint64_t bytes = 0;
        for (const TextPlace &place : places)
            bytes += place.length;
        task.progress->bytesTotal = bytes;
    }
    TrimmedWriter writer(trace, sink, task, rewrite);
    if (const Result<void> written =
            writer.write(places, lacksNames ? KinetoNames(trace).texts() : std::vector<std::string>());
        !written)
        return written.error();
    return TrimmedTrace{writer.events(), trace.report};
}

Result<TrimmedTrace> trimTrace(const std::string &path, const ImportOptions &options, const std::string &output,
                               const Task &task, const JsonRewrite &rewrite)
{
    Result<std::unique_ptr<TextOutput>> out = TextOutput::create(output, sourceFiles({path}));
    if (!out)
        return out.error();
    const Result<TrimmedTrace> written = writeTrimmedTrace(path, options, (*out)->sink(), task, rewrite);
    if (!written)
        return written;
    if (const Result<void> placed = (*out)->place(); !placed)
        return placed.error();
    return written;
}

} // namespace riffle
