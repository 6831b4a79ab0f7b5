// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/counter_graph.h"
#include "model/layout/lane_state.h"
#include "model/trace/bands.h"
#include "model/trace/squeezed_lanes.h"
#include "model/trace/trace_set.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace riffle {

/// One horizontal strip of the timeline: a heading, a lane of slices, a lane of bands, or a graph.
struct LaneItem {
    enum class Kind : uint8_t { TraceHeading, GroupHeading, Slices, Bands, Graph };
    Kind kind = Kind::Slices;
    TraceId trace;
    ProcessId process; ///< for a group or a lane
    LaneId lane;
    uint32_t graph = 0;                     ///< index into the trace's graphs
    std::shared_ptr<const BandTrack> bands; ///< for Bands
    bool gpu = false;                       ///< true for the group of a GPU and its lanes
    std::string key;                        ///< stays the same when the trace is opened again
    std::string group;                      ///< key of its heading
    std::string title;
    std::string note; ///< second part of a heading: the name of the device, or the number of lanes
    int indent = 0;
    bool folded = false;
    bool foldable = false;
    bool quiet = false; ///< a heading that is folded unless the user has unfolded it
    bool pinned = false;
    uint32_t rows = 1;       ///< drawing rows that are shown
    uint32_t hiddenRows = 0; ///< further ones of a lane of the host that opens with its first rows
    bool isWhole = false;    ///< all rows of such a lane are shown
    /// The part that is drawn of a lane whose plumbing is hidden; null if all slices are drawn.
    std::shared_ptr<const SqueezedLane> squeezed;
    uint32_t allRows = 0;      ///< rows of a lane of slices with all of them
    uint32_t squeezedRows = 0; ///< its rows without plumbing; 0 if no row is saved
    int y = 0;                 ///< logical pixels from the top of the section (pinned or scrolled)
    int height = 0;
    int rowHeight = 0;
    /// For a folded heading: the lanes with slices that each of its stripes summarizes, the most important first.
    std::vector<std::vector<LaneId>> stripes;

    bool heading() const { return kind == Kind::TraceHeading || kind == Kind::GroupHeading; }
};

/// The graphs of each trace of a set, computed in the background; null while they are still being computed.
using SetGraphs = PerTrace<std::shared_ptr<const std::vector<TraceGraph>>>;

/// The strips of the timeline, their order and their places: GPU streams first, by device, then the threads of each
/// process in a meaningful order, async tracks, graphs. Pinned strips form a separate section at the top that does not
/// scroll.
class LaneLayout {
public:
    static constexpr int kHeadingHeight = 24;
    static constexpr int kRowHeight = 18;
    static constexpr int kGraphHeight = 44;
    static constexpr int kPadding = 3;        ///< above and below the rows of a lane
    static constexpr uint32_t kFirstRows = 8; ///< rows with which a lane of the host opens
    static constexpr size_t kStripes = 5;     ///< most lanes that a folded group shows separately

    LaneLayout() = default;
    LaneLayout(const TraceSet &set, const SetGraphs &graphs, const LaneState &state, const SetBands &bands = {},
               const SetSqueezedLanes &squeezed = {});

    const std::vector<LaneItem> &pinned() const { return m_pinned; }
    const std::vector<LaneItem> &items() const { return m_items; }
    int pinnedHeight() const { return m_pinnedHeight; }
    int height() const { return m_height; } ///< of the scrolled section
    /// The height of the strips of the devices, with which the scrolled section begins, if they are those of a single
    /// trace and others follow; otherwise 0.
    int deviceHeight() const { return m_deviceHeight; }
    /// Returns the strip at a height of a section; null in empty space.
    static const LaneItem *at(const std::vector<LaneItem> &section, int y);
    /// Returns the strips of a section that reach into the heights [top, bottom).
    static std::span<const LaneItem> between(const std::vector<LaneItem> &section, int top, int bottom);
    /// Returns the strip of a lane, pinned or not; null if it is hidden, filtered out or folded away.
    const LaneItem *find(LaneRef lane) const;
    /// Returns the number of all lanes, shown or not, without headings.
    size_t laneCount() const { return m_laneCount; }

private:
    /// Where the strip of a lane is.
    struct Place {
        static constexpr uint32_t kNowhere = UINT32_MAX;
        uint32_t index = kNowhere;
        bool pinned = false;
        bool operator==(const Place &) const = default;
    };
    /// The lanes of all ranks that have the same name.
    struct NamedLanes {
        std::string name;
        bool gpu = false;
        std::vector<LaneItem> lanes;
    };
    /// Adds a lane of a rank to those with its name.
    static void addTo(std::vector<NamedLanes> &named, LaneItem lane, const std::string &rank);
    void addNamed(std::vector<NamedLanes> named, const LaneState &state);
    void addPlaces(const std::vector<LaneItem> &section, bool pinned);

    std::vector<LaneItem> m_pinned;
    std::vector<LaneItem> m_items;
    PerTrace<std::vector<Place>> m_places; ///< by LaneId
    int m_pinnedHeight = 0;
    int m_height = 0;
    int m_deviceHeight = 0;
    size_t m_laneCount = 0;
};

/// Returns the row of a lane's strip in which a slice of a segment is; none if it is plumbing that the strip hides. The
/// row may be one of those that are not shown (LaneItem::hiddenRows).
std::optional<uint32_t> rowInStrip(const LaneItem &item, const Segment &segment, SliceId slice);

/// Returns what the keys of all strips of a trace start with.
std::string laneKeyPrefix(const TraceSet &set, TraceId trace);

/// Returns the keys of the headings above a lane, outermost first, and of the lane itself; none if it has no strip of
/// slices.
std::vector<std::string> laneKeys(const TraceSet &set, LaneRef lane);

} // namespace riffle
