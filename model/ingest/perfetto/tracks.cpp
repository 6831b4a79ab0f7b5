// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/ingest/perfetto/tracks.h"

#include "model/base/quoted_text.h"
#include "model/ingest/perfetto/fields.h"
#include "model/ingest/perfetto/wire_reader.h"

#include <fmt/format.h>

#include <iterator>

namespace riffle {

using namespace perfetto;

namespace {

constexpr uint64_t kBytesOfTrack = sizeof(PerfettoTracks::Track) + 64;
constexpr int kMostAncestors = 64; ///< a longer chain is a damaged file, perhaps a ring

/// Ids of processes and threads are 32 bits wide, with a sign that a varint extends to 64 bits.
int64_t idOf(const WireField &field) { return field.signedValue(); }

} // namespace

uint32_t PerfettoTracks::index(uint64_t uuid)
{
    const auto [found, added] = m_indexes.try_emplace(uuid, static_cast<uint32_t>(m_tracks.size()));
    if (added) {
        m_tracks.emplace_back().uuid = uuid;
        m_bytes += kBytesOfTrack;
    }
    return found->second;
}

bool PerfettoTracks::describe(std::string_view message)
{
    Track read;
    std::string_view name, ownName;
    const auto readOwner = [&](std::string_view part, uint32_t pidField, uint32_t nameField) {
        WireReader owner(part);
        while (const auto field = owner.next()) {
            if (field->number == pidField && field->isVarint())
                read.pid = idOf(*field);
            else if (field->number == nameField && field->isBytes())
                ownName = field->bytes;
            else if (field->number == descriptor::kThreadTid && field->isVarint() && read.isThread)
                read.tid = idOf(*field);
        }
        return !owner.broken();
    };
    bool sound = true;
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == descriptor::kUuid && field->isVarint()) {
            read.uuid = field->value;
        } else if (field->number == descriptor::kParent && field->isVarint()) {
            read.parent = field->value;
        } else if ((field->number == descriptor::kName || field->number == descriptor::kStaticName) &&
                   field->isBytes()) {
            name = field->bytes;
        } else if (field->number == descriptor::kProcess && field->isBytes()) {
            read.isProcess = !read.isThread;
            sound &= readOwner(field->bytes, descriptor::kProcessPid, descriptor::kProcessName);
        } else if (field->number == descriptor::kThread && field->isBytes()) {
            read.isThread = true;
            read.isProcess = false;
            sound &= readOwner(field->bytes, descriptor::kThreadPid, descriptor::kThreadName);
        } else if (field->number == descriptor::kCounter && field->isBytes()) {
            WireReader counter(field->bytes);
            while (const auto part = counter.next()) {
                if (part->number == descriptor::kCounterMultiplier && part->isVarint())
                    read.multiplier = part->signedValue();
                else if (part->number == descriptor::kCounterIncremental && part->isVarint())
                    read.isIncremental = part->value != 0;
            }
            sound &= !counter.broken();
        }
    }
    if (reader.broken() || !sound)
        return false;
    read.name = ownName.empty() ? name : ownName;
    read.described = true;
    Track &track = m_tracks[index(read.uuid)];
    m_bytes += read.name.size();
    read.sum = track.sum;
    track = std::move(read);
    return true;
}

const PerfettoTracks::Track *PerfettoTracks::owner(const Track &track) const
{
    const Track *at = &track;
    for (int step = 0; step < kMostAncestors; ++step) {
        if (at->isProcess || at->isThread)
            return at;
        const auto found = at->parent == at->uuid ? m_indexes.end() : m_indexes.find(at->parent);
        if (found == m_indexes.end())
            return nullptr;
        at = &m_tracks[found->second];
    }
    return nullptr;
}

void PerfettoTracks::appendPlace(std::string &out, uint32_t index, bool withThread) const
{
    const Track &track = m_tracks[index];
    if (const Track *of = owner(track))
        fmt::format_to(std::back_inserter(out), "\"pid\":{},", of->pid);
    else
        out += "\"pid\":\"Tracks without a process\",";
    if (!withThread)
        return;
    out += "\"tid\":";
    if (track.isThread)
        fmt::format_to(std::back_inserter(out), "{}", track.tid);
    else if (track.isProcess)
        out += "\"Process\"";
    else
        appendJsonString(out, track.name.empty() ? fmt::format("Track {}", track.uuid) : track.name);
    out += ',';
}

void PerfettoTracks::appendNames(std::string &out, uint32_t index) const
{
    const Track &track = m_tracks[index];
    if (track.name.empty() || (!track.isProcess && !track.isThread))
        return;
    fmt::format_to(std::back_inserter(out), R"({{"ph":"M","name":"{}",)",
                   track.isProcess ? "process_name" : "thread_name");
    appendPlace(out, index, track.isThread);
    out += R"("args":{"name":)";
    appendJsonString(out, track.name);
    out += "}}";
}

} // namespace riffle
