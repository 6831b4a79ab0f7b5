// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/torch/key_events.h"

#include "model/base/ascii.h"
#include "model/base/ids.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace riffle {

namespace {

using Kind = KeyEvent::Kind;

/// The kind of the events of a category; empty if key_averages() does not count them.
std::optional<Kind> kindOf(std::string_view category)
{
    struct Word {
        std::string_view text;
        Kind kind;
    };
    static constexpr Word kWords[]{
        {"cpu_op", Kind::Operator},
        {"operator", Kind::Operator},
        {"user_annotation", Kind::Annotation},
        {"python_function", Kind::Frame},
        {"overhead", Kind::Runtime},
        {"kernel", Kind::Device},
        {"gpu_memcpy", Kind::Device},
        {"memcpy", Kind::Device},
        {"gpu_memset", Kind::Device},
        {"memset", Kind::Device},
        {"cuda_sync", Kind::Device},
        {"xpu_sync", Kind::Device},
        {"hpu_op", Kind::Device},
        {"mtia_ccp_events", Kind::Device},
        {"gpu_user_annotation", Kind::DeviceAnnotation},
    };
    const std::string lower = asciiLower(category);
    for (const Word &word : kWords)
        if (lower == word.text)
            return word.kind;
    if (lower.ends_with("runtime") || lower.ends_with("_driver"))
        return Kind::Runtime;
    return std::nullopt;
}

/// True for events that key_averages() leaves out as noise.
bool isHiddenEvent(std::string_view name)
{
    static constexpr std::string_view kNames[]{"profiler::_record_function_enter",
                                               "profiler::_record_function_enter_new",
                                               "profiler::_record_function_exit",
                                               "aten::is_leaf",
                                               "aten::output_nr",
                                               "aten::_version"};
    return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Looks up names and categories by StringId, and evaluates each of them once.
class Words {
public:
    explicit Words(const Trace &trace)
        : m_trace(trace)
        , m_kinds(trace.strings.count(), kUnasked)
        , m_names(trace.strings.count(), kNoRow)
    {
    }

    std::optional<Kind> kind(uint32_t category, std::string &device)
    {
        if (category >= m_kinds.size())
            return std::nullopt;
        if (m_kinds[category] == kUnasked) {
            const std::string_view text = m_trace.string(category);
            const auto kind = kindOf(text);
            m_kinds[category] = kind ? static_cast<uint8_t>(*kind) : kNotCounted;
            for (const auto &[prefix, word] : {std::pair("xpu_", "XPU"), {"mtia_", "MTIA"}, {"hpu_", "HPU"}})
                if (text.starts_with(prefix))
                    device = word;
        }
        return m_kinds[category] == kNotCounted ? std::nullopt : std::optional(static_cast<Kind>(m_kinds[category]));
    }
    /// The name under which an event counts; kNoRow if it does not count.
    uint32_t name(uint32_t name)
    {
        if (name >= m_names.size() || m_names[name] == kLeftOut)
            return kNoRow;
        if (m_names[name] == kNoRow) {
            const std::string_view text = m_trace.string(name);
            const bool isStep = text.starts_with("ProfilerStep#");
            if (isStep && m_step == kNoRow)
                m_step = name;
            m_names[name] = isHiddenEvent(text) ? kLeftOut : isStep ? m_step : name;
        }
        return m_names[name] == kLeftOut ? kNoRow : m_names[name];
    }

private:
    static constexpr uint8_t kUnasked = 255, kNotCounted = 254;
    static constexpr uint32_t kLeftOut = kNoRow - 1;
    const Trace &m_trace;
    std::vector<uint8_t> m_kinds;
    std::vector<uint32_t> m_names;
    uint32_t m_step = kNoRow;
};

/// Running sums of the bytes of memory events in order of time.
class MemorySums {
public:
    explicit MemorySums(const MemoryTable &memory) : m_memory(memory), m_sums(1), m_covered(memory.time.size() + 1, 0)
    {
        for (size_t row = 0; row < memory.time.size(); ++row) {
            const int type = memory.deviceType[row];
            const bool host = type == 0 || type == 2 || type == 5;                  // CPU, MKLDNN, IDEEP
            const bool device = type == 1 || type == 6 || type == 12 || type == 20; // CUDA, HIP, XPU, PrivateUse1
            m_sums.push_back({m_sums.back().host + (host ? memory.bytes[row] : 0),
                              m_sums.back().device + (device ? memory.bytes[row] : 0), 0, 0});
        }
    }
    /// The bytes from `start` to `end`, both inclusive.
    KeyMemory during(Ns start, Ns end) const
    {
        const auto [first, last] = rows(start, end);
        return {m_sums[last].host - m_sums[first].host, m_sums[last].device - m_sums[first].device, 0, 0};
    }
    KeyMemory of(uint32_t row) const
    {
        return {m_sums[row + 1].host - m_sums[row].host, m_sums[row + 1].device - m_sums[row].device, 0, 0};
    }
    void cover(Ns start, Ns end)
    {
        const auto [first, last] = rows(start, end);
        ++m_covered[first];
        --m_covered[last];
    }
    BigVector<uint32_t> uncovered() const
    {
        BigVector<uint32_t> rows;
        int64_t around = 0;
        for (uint32_t row = 0; row < m_memory.time.size(); ++row)
            if (!(around += m_covered[row]))
                rows.push_back(row);
        return rows;
    }
    bool empty() const { return m_memory.time.empty(); }

private:
    std::pair<size_t, size_t> rows(Ns start, Ns end) const
    {
        const Ns *begin = m_memory.time.data(), *stop = begin + m_memory.time.size();
        const size_t first = static_cast<size_t>(std::lower_bound(begin, stop, start) - begin);
        return {first, std::max(first, static_cast<size_t>(std::upper_bound(begin, stop, end) - begin))};
    }

    const MemoryTable &m_memory;
    BigVector<KeyMemory> m_sums;
    BigVector<int64_t> m_covered; ///< per row, the change in the number of events around it
};

/// Links device events and runtime calls to operators and annotations by their External ids.
class Links {
public:
    Links(const Trace &trace, KeyEvents &all) : m_all(all)
    {
        uint32_t main = kNoRow;
        if (!trace.steps.empty())
            if (const auto slice = trace.slice(trace.steps.front().slice))
                main = slice->lane.value;
        for (uint32_t at = 0; at < all.events.size(); ++at) {
            const KeyEvent &event = all.events[at];
            if (event.kind != Kind::Operator && event.kind != Kind::Annotation)
                continue;
            if (main == kNoRow)
                main = event.lane;
            if (const int64_t id = idOf(trace, event); id != 0)
                m_events.emplace_back(id, at);
        }
        std::sort(m_events.begin(), m_events.end());
        for (KeyEvent &event : all.events) {
            if (event.kind == Kind::Device)
                event.deviceSelf = event.deviceTotal = event.duration();
            if (event.kind == Kind::DeviceAnnotation) {
                event.deviceSelf = event.deviceTotal = event.duration();
                continue; // its External id is that of its annotation
            }
            if (event.kind != Kind::Device && event.kind != Kind::Runtime)
                continue;
            const int64_t id = idOf(trace, event);
            const auto [first, last] = eventsOf(id);
            for (auto each = first; each != last; ++each) {
                if (event.kind == Kind::Device)
                    all.events[each->second].deviceSelf += event.duration();
                else
                    event.lane = all.events[each->second].lane;
            }
            if (event.kind == Kind::Runtime && id == 0) {
                ++all.unlinked;
                event.lane = main == kNoRow ? event.lane : main;
            }
        }
    }

private:
    using Entries = BigVector<std::pair<int64_t, uint32_t>>;

    static int64_t idOf(const Trace &trace, const KeyEvent &event)
    {
        const Segment *segment = trace.segmentOf(SliceId(event.slice));
        const int64_t id = segment ? segment->slices.externalId[segment->indexOf(SliceId(event.slice))] : kNoInt;
        return id == kNoInt ? 0 : id;
    }
    std::pair<Entries::const_iterator, Entries::const_iterator> eventsOf(int64_t id) const
    {
        if (id == 0)
            return {m_events.end(), m_events.end()};
        return {std::lower_bound(m_events.begin(), m_events.end(), std::pair(id, 0u)),
                std::upper_bound(m_events.begin(), m_events.end(), std::pair(id, kNoRow))};
    }

    KeyEvents &m_all;
    Entries m_events; ///< by External id
};

void nest(BigVector<KeyEvent> &events)
{
    std::unordered_map<uint32_t, std::vector<uint32_t>> open; ///< by thread
    BigVector<uint32_t> inside(events.size(), 0);             ///< number of events directly inside
    for (uint32_t at = 0; at < events.size(); ++at) {
        KeyEvent &event = events[at];
        if (event.onDevice())
            continue;
        std::vector<uint32_t> &stack = open[event.lane];
        while (!stack.empty() && (event.start >= events[stack.back()].end || event.end > events[stack.back()].end))
            stack.pop_back();
        if (!stack.empty()) {
            event.parent = stack.back();
            ++inside[event.parent];
        }
        stack.push_back(at);
    }
    // An event that is alone inside an event of the same name counts as part of it.
    for (uint32_t at = 0; at < events.size(); ++at) {
        KeyEvent &event = events[at];
        if (event.parent == kNoRow)
            continue;
        if (events[event.parent].merged)
            event.parent = events[event.parent].parent;
        KeyEvent &around = events[event.parent];
        if (around.name != event.name || inside[event.parent] != 1)
            continue;
        inside[event.parent] = inside[at];
        around.deviceSelf = event.deviceSelf;
        event.merged = true;
    }
}

} // namespace

KeyEvents::KeyEvents(const Trace &trace)
{
    Words words(trace);
    MemorySums sums(trace.memory);
    for (const auto &segment : trace.segments) {
        for (uint32_t at = 0; at < segment->size(); ++at) {
            auto kind = words.kind(segment->slices.category[at], device);
            const uint32_t name = kind ? words.name(segment->slices.name[at]) : kNoRow;
            if (name == kNoRow)
                continue;
            if (kind == Kind::Annotation && segment->slices.flags[at] & slice_flag::OnStream)
                kind = Kind::DeviceAnnotation;
            KeyEvent event;
            event.start = segment->slices.start[at];
            event.end = segment->end(at);
            event.slice = segment->idAt(at).value;
            event.name = name;
            event.lane = segment->lane.value;
            event.kind = *kind;
            events.push_back(event);
            if (!sums.empty() && !event.onDevice())
                sums.cover(event.start, event.end);
        }
    }
    if (!events.empty()) {
        for (const uint32_t row : sums.uncovered()) {
            KeyEvent event;
            event.start = event.end = trace.memory.time[row];
            event.slice = row;
            event.name = static_cast<uint32_t>(trace.strings.count()); // not the name of any slice
            event.lane = trace.memory.lane[row];
            event.kind = Kind::Memory;
            events.push_back(event);
        }
    }
    const auto place = [&](const KeyEvent &event) {
        const Segment *segment = event.kind == Kind::Memory ? nullptr : trace.segmentOf(SliceId(event.slice));
        return segment ? segment->slices.sourceOffset[segment->indexOf(SliceId(event.slice))] : UINT64_MAX;
    };
    std::stable_sort(events.begin(), events.end(), [&](const KeyEvent &a, const KeyEvent &b) {
        return a.start != b.start ? a.start < b.start : a.end != b.end ? a.end > b.end : place(a) < place(b);
    });
    Links(trace, *this);
    nest(events);
    if (!sums.empty()) {
        memory.resize(events.size());
        for (uint32_t at = 0; at < events.size(); ++at)
            if (events[at].kind == Kind::Memory)
                memory[at] = sums.of(events[at].slice);
            else if (!events[at].onDevice())
                memory[at] = sums.during(events[at].start, events[at].end);
    }
    for (size_t at = events.size(); at-- > 0;) {
        KeyEvent &event = events[at];
        if (event.onDevice() || event.merged)
            continue;
        event.deviceTotal += event.deviceSelf;
        if (event.parent == kNoRow)
            continue;
        KeyEvent &around = events[event.parent];
        around.hostInside += event.duration();
        around.deviceTotal += event.deviceTotal;
        if (!memory.empty()) {
            memory[event.parent].hostInside += memory[at].host;
            memory[event.parent].deviceInside += memory[at].device;
        }
    }
}

} // namespace riffle
