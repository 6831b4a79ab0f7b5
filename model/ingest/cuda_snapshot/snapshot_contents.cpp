// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/snapshot_contents.h"

#include "model/ingest/cuda_snapshot/snapshot_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace riffle {

namespace {

class Contents {
public:
    Contents(const PickleMachine &machine, SnapshotRows &rows, MemorySnapshot &snapshot)
        : m_machine(machine)
        , m_rows(rows)
        , m_snapshot(snapshot)
    {
    }

    Result<void> read(const PickleValue &root)
    {
        const Error other{
            "This pickle is not a memory snapshot: it has neither segments nor device_traces.", {}, std::nullopt};
        if (root.kind == ValueKind::List || root.kind == ValueKind::EmptyList) {
            m_snapshot.stateOnly = true;
            m_snapshot.whole = !m_snapshot.damage;
            readSegments(root, false);
            if (root.kind == ValueKind::List && m_snapshot.segments.empty())
                return other;
            return {};
        }
        if (root.kind != ValueKind::Dict)
            return other;
        bool isSnapshot = false;
        uint64_t keys = 0;
        Word last = Word::Count;
        forPairs(root, [&](const PickleValue &key, const PickleValue &value) {
            last = word(key);
            keys |= last == Word::Count ? 0 : wordBit(last);
            switch (last) {
            case Word::Segments:
                isSnapshot = true;
                readSegments(value, false);
                break;
            case Word::DeviceTraces:
                isSnapshot = true;
                readTraces(value, false);
                break;
            case Word::HostSegments: readSegments(value, true); break;
            case Word::HostTraces: readTraces(value, true); break;
            case Word::AllocatorSettings: readSettings(value); break;
            case Word::ExternalAnnotations: readAnnotations(value); break;
            default:
                m_snapshot.oddities.otherKeys.push_back(key.kind == ValueKind::Text ? text(key)
                                                                                    : std::string("(no text)"));
            }
        });
        if (!isSnapshot)
            return other;
        constexpr uint64_t kBoth = wordBit(Word::Segments) | wordBit(Word::DeviceTraces);
        m_snapshot.whole =
            !m_snapshot.damage || ((keys & kBoth) == kBoth && last != Word::Segments && last != Word::DeviceTraces &&
                                   last != Word::HostSegments && last != Word::HostTraces);
        std::stable_partition(m_snapshot.devices.begin(), m_snapshot.devices.end(),
                              [](const MemoryDeviceTrace &trace) { return !trace.host; });
        return {};
    }

private:
    static Word word(const PickleValue &value)
    {
        return value.kind == ValueKind::Text && value.id() < static_cast<uint32_t>(Word::Count)
                   ? static_cast<Word>(value.id())
                   : Word::Count;
    }
    std::string text(const PickleValue &value) const { return std::string(m_rows.textOf(value.id())); }
    int64_t integer(const PickleValue &value)
    {
        if (value.kind == ValueKind::Int || value.kind == ValueKind::UInt)
            return value.integer;
        unreadable();
        return 0;
    }
    int64_t size(const PickleValue &value)
    {
        const int64_t size = integer(value);
        if (size <= kMostBytes)
            return size;
        unreadable();
        return 0;
    }
    void unreadable() { ++m_snapshot.oddities.unreadableFields; }

    template <typename Call>
    void forPairs(const PickleValue &dict, Call call) const
    {
        PickleValue key;
        bool isKey = true;
        m_machine.forItems(dict, [&](const PickleValue &item) {
            if (isKey)
                key = item;
            else
                call(key, item);
            isKey = !isKey;
        });
    }
    /// Calls `call` with the items of a list; a value that is not a list counts as strange.
    template <typename Call>
    void forList(const PickleValue &list, Call call)
    {
        if (list.kind == ValueKind::List)
            m_machine.forItems(list, call);
        else if (list.kind != ValueKind::EmptyList && list.kind != ValueKind::None)
            ++m_snapshot.oddities.strangeItems;
    }

    void readSegments(const PickleValue &list, bool host)
    {
        forList(list, [&](const PickleValue &item) {
            if (item.kind == ValueKind::Dict)
                readSegment(item, host);
            else
                ++m_snapshot.oddities.strangeItems;
        });
    }

    void readSegment(const PickleValue &dict, bool host)
    {
        MemorySegment segment;
        segment.host = host;
        bool isSegment = false;
        forPairs(dict, [&](const PickleValue &key, const PickleValue &value) {
            switch (word(key)) {
            case Word::Device:
                segment.device = static_cast<int32_t>(std::clamp<int64_t>(integer(value), -1, INT32_MAX));
                break;
            case Word::Address:
                isSegment = true;
                segment.address = static_cast<uint64_t>(integer(value));
                break;
            case Word::TotalSize:
            case Word::Size:
                isSegment = true;
                segment.total = size(value);
                break;
            case Word::AllocatedSize: segment.allocated = size(value); break;
            case Word::ActiveSize: segment.active = size(value); break;
            case Word::RequestedSize: segment.requested = size(value); break;
            case Word::Stream: segment.stream = integer(value); break;
            case Word::SegmentType:
                value.kind == ValueKind::Text ? void(segment.type = value.id()) : unreadable();
                break;
            case Word::SegmentPoolId:
                if (const auto pool = m_machine.poolId(value))
                    segment.pool = *pool;
                else
                    unreadable();
                break;
            case Word::IsExpandable: segment.expandable = value.kind == ValueKind::True; break;
            case Word::Frames:
                if (value.kind == ValueKind::Stack)
                    segment.stack = value.id();
                break;
            case Word::Blocks:
                isSegment = true;
                if (value.kind == ValueKind::BlockList) {
                    const PickleRows run = m_machine.runOf(value);
                    segment.firstBlock = run.first;
                    segment.blocks = run.count;
                } else if (value.kind != ValueKind::EmptyList) {
                    unreadable();
                }
                break;
            default: break;
            }
        });
        if (!isSegment) {
            ++m_snapshot.oddities.strangeItems;
            return;
        }
        uint64_t next = segment.address;
        for (uint32_t at = 0; at < segment.blocks; ++at) {
            MemoryBlock &block = m_rows.block(segment.firstBlock + at);
            if (block.address == UINT64_MAX)
                block.address = next;
            next = block.address + static_cast<uint64_t>(block.size);
        }
        m_snapshot.segments.push_back(segment);
    }

    void addTrace(const PickleValue &list, bool host)
    {
        MemoryDeviceTrace trace;
        trace.host = host;
        trace.device = host ? m_hosts++ : m_devices++;
        if (list.kind == ValueKind::EventList) {
            const PickleRows run = m_machine.runOf(list);
            trace.first = run.first;
            trace.count = run.count;
        } else if (list.kind != ValueKind::EmptyList) {
            ++m_snapshot.oddities.strangeItems;
        }
        m_snapshot.devices.push_back(trace);
    }

    /// Reads a list with one list of entries per device, or the list of entries of the only device.
    void readTraces(const PickleValue &value, bool host)
    {
        if (value.kind == ValueKind::EventList)
            addTrace(value, host);
        else
            forList(value, [&](const PickleValue &list) { addTrace(list, host); });
    }

    std::string settingText(const PickleValue &value, int depth) const
    {
        constexpr size_t kLongest = 4096;
        switch (value.kind) {
        case ValueKind::Text: return text(value);
        case ValueKind::True: return "True";
        case ValueKind::False: return "False";
        case ValueKind::Int: return std::to_string(value.integer);
        case ValueKind::UInt: return std::to_string(value.bits);
        case ValueKind::Float: {
            char digits[32];
            std::snprintf(digits, sizeof digits, "%.17g", value.number);
            return digits;
        }
        case ValueKind::Pair: {
            const auto [first, second] = m_rows.poolOf(value.id());
            std::string pair("(");
            pair.append(std::to_string(first)).append(", ").append(std::to_string(second)).append(")");
            return pair;
        }
        case ValueKind::Dict:
        case ValueKind::List: {
            if (depth == 0)
                return "…";
            std::string out;
            bool isKey = true;
            m_machine.forItems(value, [&](const PickleValue &item) {
                if (out.size() > kLongest)
                    return;
                out += out.empty() ? "" : isKey || value.kind == ValueKind::List ? ", " : ": ";
                out += settingText(item, depth - 1);
                isKey = !isKey;
            });
            return out;
        }
        default: return {};
        }
    }

    void readSettings(const PickleValue &dict)
    {
        if (dict.kind != ValueKind::Dict)
            return;
        forPairs(dict, [&](const PickleValue &key, const PickleValue &value) {
            constexpr int kDepth = 3;
            if (key.kind == ValueKind::Text && m_snapshot.settings.size() < 1000)
                m_snapshot.settings.emplace_back(text(key), settingText(value, kDepth));
        });
    }

    void readAnnotations(const PickleValue &list)
    {
        forList(list, [&](const PickleValue &item) {
            if (item.kind != ValueKind::Dict) {
                ++m_snapshot.oddities.strangeItems;
                return;
            }
            MemoryAnnotation mark;
            forPairs(item, [&](const PickleValue &key, const PickleValue &value) {
                switch (word(key)) {
                case Word::Name: value.kind == ValueKind::Text ? void(mark.name = value.id()) : unreadable(); break;
                case Word::Stage: value.kind == ValueKind::Text ? void(mark.stage = value.id()) : unreadable(); break;
                case Word::Device:
                    mark.device = static_cast<int32_t>(std::clamp<int64_t>(integer(value), -1, INT32_MAX));
                    break;
                case Word::TimeUs:
                    if (__builtin_mul_overflow(integer(value), int64_t(1000), &mark.time)) {
                        mark.time = MemoryEventTable::kNoTime;
                        unreadable();
                    }
                    break;
                default: break;
                }
            });
            m_snapshot.annotations.push_back(mark);
        });
    }

    const PickleMachine &m_machine;
    SnapshotRows &m_rows;
    MemorySnapshot &m_snapshot;
    int32_t m_devices = 0, m_hosts = 0;
};

} // namespace

Result<void> fillSnapshot(const PickleMachine &machine, const PickleValue &root, SnapshotRows &rows,
                          MemorySnapshot &snapshot)
{
    const SnapshotOddities before = std::move(rows.oddities);
    snapshot.oddities = before;
    Contents contents(machine, rows, snapshot);
    auto read = contents.read(root);
    rows.oddities = snapshot.oddities;
    uint64_t held = 0;
    for (const MemoryDeviceTrace &trace : snapshot.devices)
        held += trace.count;
    rows.oddities.repeatedEntries += rows.events() > held ? rows.events() - held : 0;
    return read;
}

} // namespace riffle
