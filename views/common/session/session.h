// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/bands.h"
#include "model/trace/trace_set.h"
#include "views/common/session/filters.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace riffle {

class MemorySession;
class SetFacts;
struct SummaryRequest;

/// A point or range that the user marked, with a note. Set time.
struct Mark {
    TimeSpan span; ///< begin == end: a point
    QString note;
    bool operator==(const Mark &) const = default;
};

/// An area selected in the lanes: a range and the lanes it touches (empty: all).
struct AreaSelection {
    TimeSpan span;
    std::vector<LaneRef> lanes;
    bool operator==(const AreaSelection &) const = default;
};

/// What the views of one window have in common: the traces, the visible range, what is selected. Owned by the main
/// window, handed to every view. Setters do nothing when nothing changes; else changed() is emitted once with what did.
class Session : public QObject {
    Q_OBJECT
public:
    enum Change {
        Traces = 1 << 0,
        VisibleRange = 1 << 1,
        Selection = 1 << 2, ///< the selected slice
        Area = 1 << 3,
        Hover = 1 << 4, ///< cursor time or hovered slice
        Marks = 1 << 5,
        Highlight = 1 << 6,       ///< search hits, all instances of a name
        Lanes = 1 << 7,           ///< pins, folds, order, heights, lane filter
        Load = 1 << 8,            ///< loading began, advanced or ended
        Filter = 1 << 9,          ///< filters(), or the range that is followed
        Steps = 1 << 10,          ///< stepsOf()
        Bands = 1 << 11,          ///< lanes that were added
        Narrowing = Area | Filter ///< all that request() depends on beside the traces
    };
    Q_DECLARE_FLAGS(Changes, Change)

    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    const TraceSet &traces() const { return m_traces; }
    void setTraces(TraceSet traces); ///< keeps the range when they are the same (a store took over), else shows all
    uint64_t opening() const { return m_opening; } ///< counts up with other traces, not when a store takes over
    TimeSpan wholeRange() const; ///< all traces, or the parts read of them, with a little room at both ends
    TimeSpan visibleRange() const { return m_visible; }
    void setVisibleRange(TimeSpan range);   ///< clamped to the traces' span with a margin, at least 10 ns wide
    TimeSpan allowed(TimeSpan range) const; ///< what setVisibleRange() would make of it
    /// What analyses have found out about the traces, shared by all views; made as it is asked for, by any thread.
    std::shared_ptr<const SetFacts> facts() const { return m_facts; }
    SliceRef selected() const { return m_selected; }
    void select(SliceRef slice);
    std::optional<AreaSelection> area() const { return m_area; }
    void setArea(std::optional<AreaSelection> area);
    const Filters &filters() const { return m_filters; }
    void setFilters(Filters filters);
    /// The parts of the filters that are set, the newest last.
    const std::vector<Filters::Part> &filterParts() const { return m_filterParts; }
    /// The steps of a trace, by its index: those that the filters name, else the profiler's.
    std::span<const Step> stepsOf(uint32_t trace) const;
    /// Whether analyses are about the visible range, too, once it has rested for a moment. An area goes before it.
    bool followsView() const { return m_followsView; }
    void setFollowsView(bool on);
    /// What the analyses are to be about: area, filters and the range that is followed. Without a view's name.
    SummaryRequest request() const;
    /// Drops the newest of what narrows or emphasises: the area, the selected slice, the highlight, one filter.
    void escape();
    SliceRef hovered() const { return m_hovered; }
    std::optional<Ns> cursor() const { return m_cursor; }
    void setHover(SliceRef slice, std::optional<Ns> cursor);
    const std::vector<Mark> &marks() const { return m_marks; }
    void setMarks(std::vector<Mark> marks);
    /// Names whose slices are emphasised, per trace: sorted StringIds. Empty: nothing is emphasised.
    const std::vector<std::vector<uint32_t>> &highlight() const { return m_highlight; }
    void setHighlight(std::vector<std::vector<uint32_t>> names);
    /// Slices that are emphasised instead, per trace: ascending SliceIds. Either kind of highlight takes the other's
    /// place.
    const std::vector<std::vector<uint32_t>> &highlightedSlices() const { return m_highlightedSlices; }
    void setHighlightedSlices(std::vector<std::vector<uint32_t>> slices);
    /// Lanes that were added to those of the traces, as results of queries are.
    const SetBands &bands() const { return m_bands; }
    /// Per trace; tracks with a key that is there already take its place.
    void addBands(SetBands bands);
    void removeBands(const std::string &key);
    bool hasBands(const std::string &key) const;
    /// Snapshots of memory that are open, and what is looked at in them.
    MemorySession *memory() const { return m_memory; }

signals:
    void changed(riffle::Session::Changes changes);
    /// Asks the timeline to bring a slice into sight (and select it).
    void revealRequested(riffle::SliceRef slice);
    /// Asks the timeline to go to a range, which may take it a moment.
    void rangeRequested(riffle::TimeSpan range);

public:
    void reveal(SliceRef slice);
    /// As setVisibleRange(), but for leaps: a timeline may glide there.
    void goTo(TimeSpan range);

private:
    void findChosenSteps();

    TraceSet m_traces;
    uint64_t m_opening = 0;
    std::shared_ptr<const SetFacts> m_facts;
    TimeSpan m_visible;
    SliceRef m_selected;
    std::optional<AreaSelection> m_area;
    Filters m_filters;
    std::vector<Filters::Part> m_filterParts;
    std::vector<std::vector<Step>> m_chosenSteps; ///< per trace; empty while the profiler's marks are the steps
    bool m_followsView = false;
    TimeSpan m_followed; ///< the visible range when it last rested
    QTimer m_rest;
    SliceRef m_hovered;
    std::optional<Ns> m_cursor;
    std::vector<Mark> m_marks;
    std::vector<std::vector<uint32_t>> m_highlight;
    std::vector<std::vector<uint32_t>> m_highlightedSlices;
    SetBands m_bands;
    MemorySession *m_memory;
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Session::Changes)

} // namespace riffle
