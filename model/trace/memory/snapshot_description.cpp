// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/memory/snapshot_description.h"

#include "model/base/byte_stream.h"

#include <type_traits>

namespace riffle {

namespace {

/// Writes the fields that pass() names; Reading reads them back in the same order.
class Writing {
public:
    static constexpr bool kReads = false;
    template <typename T>
    void value(const T &value)
    {
        m_out.put(value);
    }
    void text(const std::string &text) { m_out.putText(text); }
    template <typename List, typename Each>
    void list(const List &list, uint64_t, Each each)
    {
        m_out.put<uint64_t>(list.size());
        for (const auto &item : list)
            each(item);
    }
    std::string take() { return m_out.take(); }

private:
    ByteWriter m_out;
};

class Reading {
public:
    static constexpr bool kReads = true;
    explicit Reading(std::string_view bytes) : m_in(bytes) {}
    template <typename T>
    void value(T &value)
    {
        value = m_in.get<T>();
    }
    void text(std::string &text) { text = m_in.getText(); }
    /// `least` is the minimum number of bytes of an item.
    template <typename Item, typename Each>
    void list(std::vector<Item> &list, uint64_t least, Each each)
    {
        list.resize(static_cast<size_t>(m_in.getCount(least)));
        for (Item &item : list)
            each(item);
    }
    bool done() { return m_in.ok() && m_in.left().empty(); }

private:
    ByteReader m_in;
};

/// Passes every field of the snapshot to a Writing or a Reading, always in the same order.
template <typename Stream, typename Snapshot>
void pass(Stream &stream, Snapshot &snapshot)
{
    stream.text(snapshot.container);
    stream.value(snapshot.protocol);
    stream.value(snapshot.fileBytes);
    stream.value(snapshot.pickleBytes);
    stream.value(snapshot.stateOnly);
    stream.value(snapshot.whole);
    stream.list(snapshot.devices, 13, [&](auto &one) {
        stream.value(one.device);
        stream.value(one.host);
        stream.value(one.first);
        stream.value(one.count);
    });
    stream.list(snapshot.segments, 60, [&](auto &one) {
        stream.value(one.address);
        stream.value(one.total);
        stream.value(one.allocated);
        stream.value(one.active);
        stream.value(one.requested);
        stream.value(one.stream);
        stream.value(one.device);
        stream.value(one.type);
        stream.value(one.pool);
        stream.value(one.stack);
        stream.value(one.firstBlock);
        stream.value(one.blocks);
        stream.value(one.expandable);
        stream.value(one.host);
    });
    stream.list(snapshot.streams, 8, [&](auto &one) { stream.value(one); });
    stream.list(snapshot.pools, 16, [&](auto &one) {
        stream.value(one.first);
        stream.value(one.second);
    });
    stream.list(snapshot.settings, 16, [&](auto &one) {
        stream.text(one.first);
        stream.text(one.second);
    });
    stream.list(snapshot.annotations, 20, [&](auto &one) {
        stream.value(one.name);
        stream.value(one.stage);
        stream.value(one.device);
        stream.value(one.time);
    });
    auto &odd = snapshot.oddities;
    stream.value(odd.unreadableFields);
    stream.value(odd.repeatedEntries);
    stream.value(odd.strangeItems);
    stream.value(odd.crowdedStreams);
    std::vector<std::pair<std::string, uint64_t>> actions(odd.otherActions.begin(), odd.otherActions.end());
    stream.list(actions, 16, [&](auto &one) {
        stream.text(one.first);
        stream.value(one.second);
    });
    if constexpr (Stream::kReads)
        odd.otherActions = {actions.begin(), actions.end()};
    stream.list(odd.otherKeys, 8, [&](auto &one) { stream.text(one); });
    stream.list(snapshot.otherSnapshots, 8, [&](auto &one) { stream.text(one); });
}

} // namespace

std::string describeSnapshot(const MemorySnapshot &snapshot)
{
    Writing out;
    pass(out, snapshot);
    return out.take();
}

bool readSnapshotDescription(std::string_view bytes, MemorySnapshot &snapshot)
{
    Reading in(bytes);
    pass(in, snapshot);
    return in.done();
}

} // namespace riffle
