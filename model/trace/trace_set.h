// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/per_trace.h"
#include "model/trace/time_map.h"
#include "model/trace/trace.h"

#include <chrono>
#include <compare>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

struct RankFacts;

/// A slice of any trace in a set.
struct SliceRef {
    TraceId trace;
    SliceId slice;
    bool valid() const { return slice.valid(); }
    auto operator<=>(const SliceRef &) const = default;
};

/// A lane of any trace in a set.
struct LaneRef {
    TraceId trace;
    LaneId lane;
    auto operator<=>(const LaneRef &) const = default;
};

enum class MemberState : uint8_t {
    Unloaded, ///< it was loaded, or can be, but is not in memory
    Loading,
    Loaded,
    Failed, ///< its file could not be read
};

/// A member of a set as it is known without its trace: a file that is read, will be, or could not be.
struct TraceMember {
    TraceId id;
    MemberState state = MemberState::Unloaded;
    std::string path;
    std::string why;      ///< for Failed: the reason, as a sentence
    bool isKnown = false; ///< it was loaded once, or know() told; what follows is from the last time
    std::string format;   ///< TraceInfo::format
    uint64_t bytes = 0;   ///< the size of its file
    uint64_t slices = 0;  ///< the number of its slices
    TimeSpan span;        ///< in the trace's own time, like the next two
    TimeSpan asked;       ///< Trace::askedSpan()
    TimeSpan recorded;    ///< Trace::recordedSpan()
    std::optional<int64_t> rank, worldSize;
    std::shared_ptr<const RankFacts> facts; ///< null if nobody has told them
    bool operator==(const TraceMember &) const = default;
};

/// The state of a trace that is still being written.
struct Growing {
    /// All that ended before is there. In the trace's own time; nothing if the source does not say.
    std::optional<Ns> settled;
    /// When something new was last read.
    std::chrono::steady_clock::time_point heard = std::chrono::steady_clock::now();
};

/// A member whose trace is in memory.
struct LoadedTrace {
    TraceId id;
    std::shared_ptr<const Trace> trace;
    TimeMap time;                   ///< from the trace's time to that of the set
    uint32_t reading = 0;           ///< differs if ids may differ: each load() has its own, and grow() keeps it
    std::optional<Growing> growing; ///< nothing if nobody writes the trace any more

    /// Up to when the trace is complete, in its own time; nothing if all of it is, or if that is unknown.
    std::optional<Ns> settled() const { return growing ? growing->settled : std::nullopt; }
};

/// The traces in one window, one per rank. A single trace is a set of one. All ranges and cursors are in set time.
///
/// Members have an order, which is the one that users see, and an id, by which everything else names them. Set time is
/// the clock of the first trace that was put into the set; it stays when that trace is removed. A trace that recorded
/// the wall clock is placed by it, and any other one as if its clock were that of the set; a trace from another time is
/// shifted to start with the first one.
class TraceSet {
public:
    /// A set of these traces, whose ids count from 0.
    static TraceSet of(std::vector<std::shared_ptr<const Trace>> traces);

    TraceId add(std::shared_ptr<const Trace> trace);
    TraceId add(std::shared_ptr<const Trace> trace, TimeMap time);
    /// Adds a member that is being loaded.
    TraceId expect(std::string path);
    /// The same for a member that was unloaded or failed.
    void expectAgain(TraceId id);
    /// Gives a member its trace, or another one in place of the one that it has. Its place on the set's clock stays
    /// unless the trace recorded another wall-clock time.
    void load(TraceId id, std::shared_ptr<const Trace> trace);
    /// Tells the small facts about a member, which may be known without its trace. A member that was never loaded gets
    /// its name and its place on the clock from them, and stays as it is otherwise. Facts that do not fit the trace
    /// that the member had last are left out, and load() drops those that do not fit another trace.
    void know(TraceId id, std::shared_ptr<const RankFacts> facts);
    /// Gives a loaded member the next generation of its trace, in which all ids are the same. `growing` is empty for
    /// the last generation.
    void grow(TraceId id, std::shared_ptr<const Trace> trace, std::optional<Growing> growing);
    void unload(TraceId id);
    void fail(TraceId id, std::string why);
    void remove(TraceId id);
    /// Moves a member to a place in the order; members from there on come after it.
    void move(TraceId id, size_t place);
    void setTime(TraceId id, TimeMap time);
    bool isTimeSet(TraceId id) const; ///< true if setTime() has placed the member, not its own clock
    /// These members of the set, in its order, with the clock, the origin and the titles of the whole set.
    TraceSet part(std::span<const TraceId> ids) const;
    const TraceSet &whole() const { return m_whole ? *m_whole : *this; } ///< the set that this one is a part of

    std::span<const TraceMember> members() const { return m_members; }
    const TraceMember *member(TraceId id) const; ///< null if there is none
    /// The members that can be read, in order.
    std::span<const LoadedTrace> loaded() const { return m_loaded; }
    const LoadedTrace *find(TraceId id) const; ///< null if the member is not loaded
    const Trace *trace(TraceId id) const;      ///< null if the member is not loaded
    const TimeMap &time(TraceId id) const; ///< also of a member that was unloaded; the identity if it was never loaded
    /// The ids of the loaded members among these, in order; of all loaded members if none is named.
    std::vector<TraceId> loadedOf(std::span<const TraceId> ids) const;
    bool empty() const { return m_loaded.empty(); }
    size_t size() const { return m_loaded.size(); }
    /// One more than the largest id that was ever given to a member.
    uint32_t idsEnd() const { return m_nextId; }

    /// These three count every member whose times are known, so that they stay when a trace is unloaded.
    TimeSpan span() const;      ///< set time; [0, 0) if no member has events
    TimeSpan askedSpan() const; ///< set time, over the requested parts (Trace::askedSpan)
    /// Returns the set time that is shown as 0: that of the first recorded event, even if the part that was read starts
    /// later.
    Ns origin() const;
    /// Returns "Rank 3", recorded or told by the path, or the name of the file or log if only other traces of the set
    /// have a rank. If none has, the place in the order counts as it. Titles differ: if several would be the same,
    /// what their paths differ in, or a number, follows in brackets.
    std::string title(TraceId id) const;

private:
    /// A trace's span on the clock of the set, and how far it is shifted from there.
    struct Moved {
        TimeSpan span;
        Ns by = 0;
    };
    /// A member's place on the clock, which outlives its trace.
    struct Placement {
        TimeMap time;
        std::optional<int64_t> base; ///< the wall-clock time that the trace recorded
        bool isSet = false;          ///< by setTime()
        bool operator==(const Placement &) const = default;
    };
    struct Titles;
    static std::shared_ptr<Titles> makeTitles();
    TraceMember &get(TraceId id);
    TimeMap placed(std::optional<Ns> base, TimeSpan recorded);
    void place(TraceId id, std::optional<Ns> base, TimeSpan recorded);
    void drop(TraceId id); ///< from m_loaded
    void describe(TraceMember &member, const Trace &trace);
    void indexMembers();
    void indexLoaded();
    TimeSpan united(TimeSpan TraceMember::*span) const;

    std::vector<TraceMember> m_members;
    std::vector<LoadedTrace> m_loaded;               ///< in the order of m_members
    PerTrace<uint32_t> m_memberPlaces;               ///< by id: one more than the index in m_members; 0 for none
    PerTrace<uint32_t> m_loadedPlaces;               ///< the same for m_loaded
    std::shared_ptr<Titles> m_titles = makeTitles(); ///< of m_members, made when the first of them is wanted
    PerTrace<std::optional<Placement>> m_placements;
    std::vector<Moved> m_placed; ///< every trace with events that was ever put on the clock, the first one first
    std::optional<Ns> m_base;    ///< the wall-clock time of set time 0, once a trace has told it
    std::shared_ptr<const TraceSet> m_whole; ///< the set that this one is a part of; null if it is none
    uint32_t m_nextId = 0, m_readings = 0;
};

} // namespace riffle
