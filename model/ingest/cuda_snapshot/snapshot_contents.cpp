// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/cuda_snapshot/snapshot_contents.h"

#include "model/base/utf8.h"
#include "model/ingest/cuda_snapshot/snapshot_words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace riffle {

namespace {

/// PyTorch numbers devices with 8 bits. Each device is analysed on its own, so their number must have a limit.
constexpr size_t kMostDevices = 256;
constexpr uint64_t kSharedRowBytes = 128; ///< what analyses take for an entry or a block, roughly

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
            return limited();
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
                m_snapshot.oddities.otherKeys.push_back(
                    counted(key.kind == ValueKind::Text ? text(key) : std::string("(no text)")));
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
        return limited();
    }

private:
    static Word word(const PickleValue &value)
    {
        return value.kind == ValueKind::Text && value.id() < static_cast<uint32_t>(Word::Count)
                   ? static_cast<Word>(value.id())
                   : Word::Count;
    }
    /// Returns an Error if the snapshot has more devices than analyses can treat one by one.
    Result<void> limited() const
    {
        std::set<std::pair<bool, int32_t>> devices;
        const auto isFew = [&](const auto &one) {
            devices.emplace(one.host, one.device);
            return devices.size() <= kMostDevices;
        };
        const auto isEmpty = [](const MemoryDeviceTrace &trace) { return trace.count == 0; };
        if (std::all_of(m_snapshot.segments.begin(), m_snapshot.segments.end(), isFew) &&
            std::all_of(m_snapshot.devices.begin(), m_snapshot.devices.end(),
                        [&](const MemoryDeviceTrace &trace) { return isEmpty(trace) || isFew(trace); }))
            return {};
        return Error{"The snapshot has more than " + std::to_string(kMostDevices) +
                         " devices: no program writes such a snapshot.",
                     {},
                     std::nullopt,
                     ErrorKind::Limit};
    }
    std::string text(const PickleValue &value) const { return std::string(m_rows.textOf(value.id())); }
    uint32_t name(const PickleValue &text) { return m_rows.shortText(text.id(), SnapshotRows::kLongestName); }
    /// Counts a text that was copied against the budget: many keys can share a long one.
    std::string counted(std::string text)
    {
        m_rows.take(sizeof(std::string) + text.size());
        return text;
    }
    /// Counts the rows of a list against the budget if other lists have them, too: `held` is the number of rows of all
    /// lists so far, of which the file contains `made`.
    void countShared(uint64_t &held, uint32_t count, uint32_t made)
    {
        const uint64_t before = std::max<uint64_t>(held, made);
        held += count;
        m_rows.take(held > before ? (held - before) * kSharedRowBytes : 0);
    }
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
                if (const auto pool = poolIdOf(m_machine, m_rows, value))
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
                    countShared(m_heldBlocks, run.count, m_rows.blocks());
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
        m_rows.take(sizeof segment);
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
            countShared(m_heldEvents, run.count, m_rows.events());
        } else if (list.kind != ValueKind::EmptyList) {
            ++m_snapshot.oddities.strangeItems;
        }
        m_rows.take(sizeof trace);
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

    /// Returns the text of a setting, cut after about `most` bytes.
    std::string settingText(const PickleValue &value, int depth, size_t most) const
    {
        switch (value.kind) {
        case ValueKind::Text: return shortened(m_rows.textOf(value.id()), most);
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
            size_t items = 0;
            m_machine.forItemsWhile(value, [&](const PickleValue &item) {
                if (out.size() >= most || ++items > most) {
                    out += "…";
                    return false;
                }
                out += out.empty() ? "" : isKey || value.kind == ValueKind::List ? ", " : ": ";
                out += settingText(item, depth - 1, most - std::min(most, out.size()));
                isKey = !isKey;
                return true;
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
            constexpr size_t kMost = 1000, kLongest = 4096;
            if (key.kind == ValueKind::Text && m_snapshot.settings.size() < kMost)
                m_snapshot.settings.emplace_back(counted(shortened(m_rows.textOf(key.id()), kLongest)),
                                                 counted(settingText(value, kDepth, kLongest)));
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
                case Word::Name: value.kind == ValueKind::Text ? void(mark.name = name(value)) : unreadable(); break;
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
            m_rows.take(sizeof mark);
            m_snapshot.annotations.push_back(mark);
        });
    }

    const PickleMachine &m_machine;
    SnapshotRows &m_rows;
    MemorySnapshot &m_snapshot;
    int32_t m_devices = 0, m_hosts = 0;
    uint64_t m_heldBlocks = 0, m_heldEvents = 0; ///< by all lists; shared ones several times
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
