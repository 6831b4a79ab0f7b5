// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/quoted_text.h"
#include "model/ingest/perfetto/event_json.h"
#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace riffle {

using namespace perfetto;

namespace {

/// PyTorch's names for its stages, and the categories that Kineto has for the same work.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kStages = {{
    {"Kernel", "kernel"},
    {"Memcpy", "gpu_memcpy"},
    {"Memset", "gpu_memset"},
    {"Annotation", "gpu_user_annotation"},
    {"EventRecord", "graph_event_node"},
    {"HostNode", "graph_host_node"},
}};
/// PyTorch's names for arguments of device work, and Kineto's names for them. PyTorch writes all of them as texts.
constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kNumbers = {{
    {"device id", "device"},
    {"context id", "context"},
    {"stream id", "stream"},
    {"correlation", "correlation"},
    {"priority", "priority"},
    {"queued", "queued"},
    {"channel", "channel"},
    {"channel_type", "channel_type"},
    {"graph id", "graph id"},
    {"graph node id", "graph node id"},
    {"bytes", "bytes"},
    {"value", "value"},
    {"memory kind", "memory kind"},
}};

template <size_t kCount>
std::string_view kinetoName(const std::array<std::pair<std::string_view, std::string_view>, kCount> &table,
                            std::string_view name)
{
    const auto found = std::find_if(table.begin(), table.end(), [&](const auto &row) { return row.first == name; });
    return found == table.end() ? std::string_view() : found->second;
}

bool isWholeNumber(std::string_view text)
{
    const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
    return !digits.empty() && digits.size() <= 19 && (digits[0] != '0' || digits.size() == 1) &&
           digits.find_first_not_of("0123456789") == digits.npos;
}

/// "[0007] stream 7" is stream 7, with a name of its own if it has one other than that.
struct StreamName {
    std::string number, name;

    explicit StreamName(std::string_view queue)
    {
        const size_t close = queue.find("] ");
        if (!queue.starts_with('[') || close == queue.npos)
            return;
        std::string_view digits = queue.substr(1, close - 1);
        digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.empty() ? 0 : digits.size() - 1));
        if (!isWholeNumber(digits))
            return;
        number = digits;
        if (queue.substr(close + 2) != "stream " + number)
            name = queue.substr(close + 2);
    }
};

struct RenderStage {
    uint64_t duration = 0, queue = 0, stage = 0, nameIid = 0, kernel = 0;
    int64_t gpu = 0;
    std::string_view name, launch;
    std::vector<std::pair<std::string_view, std::string_view>> extra;
    bool broken = false;

    explicit RenderStage(std::string_view message)
    {
        WireReader reader(message);
        while (const auto field = reader.next()) {
            switch (field->number) {
            case stage::kDuration: duration = field->value; break;
            case stage::kGpu: gpu = field->signedValue(); break;
            case stage::kQueueIid: queue = field->value; break;
            case stage::kStageIid: stage = field->value; break;
            case stage::kName: name = field->bytes; break;
            case stage::kNameIid: nameIid = field->value; break;
            case stage::kKernelIid: kernel = field->value; break;
            case stage::kLaunch: launch = field->bytes; break;
            case stage::kExtra: addExtra(field->bytes); break;
            default: break;
            }
        }
        broken = broken || reader.broken();
    }
    std::string_view extraOf(std::string_view key) const
    {
        const auto found = std::find_if(extra.begin(), extra.end(), [&](const auto &one) { return one.first == key; });
        return found == extra.end() ? std::string_view() : found->second;
    }

private:
    void addExtra(std::string_view message)
    {
        auto &[key, text] = extra.emplace_back();
        WireReader reader(message);
        while (const auto field = reader.next()) {
            if (field->number == stage::kExtraName)
                key = field->bytes;
            else if (field->number == stage::kExtraValue)
                text = field->bytes;
        }
        broken = broken || reader.broken();
    }
};

/// Appends a Dim3 message as a list of three numbers.
void appendExtent(std::string &out, std::string_view message)
{
    uint64_t parts[3] = {1, 1, 1};
    WireReader reader(message);
    while (const auto field = reader.next())
        if (field->number >= 1 && field->number <= 3 && field->isVarint())
            parts[field->number - 1] = field->value;
    fmt::format_to(std::back_inserter(out), "[{},{},{}]", parts[0], parts[1], parts[2]);
}

} // namespace

bool EventJson::renderStage(std::string_view message, Ns begins)
{
    const RenderStage read(message);
    if (read.broken)
        return false;
    const std::string stageName = read.stage ? interned(InternedNames::Kind::Stage, read.stage) : std::string("Stage");
    std::string_view category = kinetoName(kStages, stageName);
    if (category.empty()) // another program's names: only the category of the stage says that it is a kernel
        category = read.kernel || m_names->stageCategory(read.stage) == stage::kCompute ? std::string_view("kernel")
                                                                                        : std::string_view(stageName);
    const std::string queue = read.queue ? interned(InternedNames::Kind::Stage, read.queue) : std::string();
    StreamName stream(queue);
    const std::string_view ownStream = read.extraOf("stream id");
    if (stream.number.empty())
        stream.number = isWholeNumber(ownStream) ? std::string(ownStream) : std::to_string(read.queue);
    const std::string place = fmt::format("\"pid\":{},\"tid\":{},", read.gpu, stream.number);
    if (m_namedStreams.emplace(read.gpu, stream.number).second)
        nameStream(place, read.gpu, stream.name);

    begin('X');
    key("cat");
    appendJsonString(m_out, category);
    m_out += ',';
    key("name");
    appendJsonString(m_out, read.nameIid         ? interned(InternedNames::Kind::Event, read.nameIid)
                            : !read.name.empty() ? std::string(read.name)
                            : read.kernel        ? interned(InternedNames::Kind::Kernel, read.kernel)
                                                 : stageName);
    m_out += ',';
    m_out += place;
    time("ts", begins);
    m_out += ',';
    time("dur", static_cast<Ns>(std::min<uint64_t>(read.duration, INT64_MAX)));
    fmt::format_to(std::back_inserter(m_out), R"(,"args":{{"device":{},"stream":{})", read.gpu, stream.number);
    if (!ownStream.empty() && ownStream != stream.number) {
        m_out += ",\"original_stream\":";
        appendJsonString(m_out, ownStream);
    }
    for (const auto &[name, text] : read.extra) {
        const std::string_view known = kinetoName(kNumbers, name);
        if (known == "device" || known == "stream")
            continue;
        m_out += ',';
        key(known.empty() ? name : known);
        if (!known.empty() && isWholeNumber(text))
            m_out += text;
        else
            appendJsonString(m_out, text);
    }
    launchArguments(read.launch);
    m_out += "}}";
    return true;
}

void EventJson::nameStream(std::string_view place, int64_t gpu, std::string_view name)
{
    const auto add = [&](std::string_view what, std::string_view member, std::string_view text) {
        begin('M');
        fmt::format_to(std::back_inserter(m_out), R"("name":"{}",{}"args":{{"{}":)", what, place, member);
        appendJsonString(m_out, text);
        m_out += "}}";
    };
    add("process_labels", "labels", fmt::format("GPU {}", gpu));
    if (!name.empty())
        add("thread_name", "name", name);
}

void EventJson::launchArguments(std::string_view launch)
{
    WireReader reader(launch);
    while (const auto field = reader.next()) {
        if (!field->isBytes())
            continue;
        if (field->number == stage::kGrid || field->number == stage::kBlock) {
            m_out += field->number == stage::kGrid ? ",\"grid\":" : ",\"block\":";
            appendExtent(m_out, field->bytes);
        } else if (field->number == stage::kArgument) {
            launchArgument(field->bytes);
        }
    }
}

void EventJson::launchArgument(std::string_view message)
{
    std::string name, text;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        switch (field->number) {
        case stage::kArgumentNameIid: name = interned(InternedNames::Kind::KernelArgument, field->value); break;
        case stage::kArgumentName: name = field->bytes; break;
        case stage::kArgumentInt: text = std::to_string(field->signedValue()); break;
        case stage::kArgumentUint: text = std::to_string(field->value); break;
        case stage::kArgumentDouble:
            text = std::isfinite(field->real()) ? fmt::format("{}", field->real()) : "null";
            break;
        case stage::kArgumentString: text = jsonString(field->bytes); break;
        default: break;
        }
    }
    m_out += ',';
    key(name == "registers_per_thread" ? "registers per thread" : name);
    m_out += text.empty() ? "null" : text;
}

bool EventJson::gpuCounters(std::string_view message, Ns at)
{
    InternedNames::GpuCounters own;
    const InternedNames::GpuCounters *counters = &own;
    std::optional<int64_t> gpu;
    WireReader reader(message);
    std::vector<std::string_view> samples;
    while (const auto field = reader.next()) {
        switch (field->number) {
        case counter::kDescriptorIid:
            if (const auto *found = m_names->counters(field->value))
                counters = found;
            break;
        case counter::kDescriptor: InternedNames::addCounterNames(field->bytes, own); break;
        case counter::kGpu: gpu = field->signedValue(); break;
        case counter::kSample: samples.push_back(field->bytes); break;
        default: break;
        }
    }
    if (reader.broken())
        return false;
    for (const std::string_view sample : samples) {
        if (full())
            break;
        uint64_t id = 0;
        double amount = 0;
        WireReader parts(sample);
        while (const auto part = parts.next()) {
            if (part->number == counter::kSampleId)
                id = part->value;
            else if (part->number == counter::kSampleInt)
                amount = static_cast<double>(part->signedValue());
            else if (part->number == counter::kSampleDouble)
                amount = part->real();
        }
        const auto name = counters->names.find(id);
        if (name == counters->names.end())
            m_report.add(Trouble::UnknownString, m_offset, fmt::format("GPU counter {}", id));
        begin('C');
        key("name");
        appendJsonString(m_out, name == counters->names.end() ? fmt::format("Counter {}", id) : name->second);
        fmt::format_to(std::back_inserter(m_out), R"(,"pid":"GPU {} Counters",)", gpu.value_or(counters->gpu));
        time("ts", at);
        fmt::format_to(std::back_inserter(m_out), R"(,"args":{{"value":{}}}}})", std::isfinite(amount) ? amount : 0.0);
    }
    return true;
}

} // namespace riffle
