// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"
#include "model/base/big_vector.h"
#include "model/trace/bands.h"
#include "model/trace/trace_set.h"
#include "views/common/session/answer_pace.h"
#include "views/common/session/as_of.h"
#include "views/common/session/filters.h"
#include "views/common/session/marks.h"
#include "views/common/session/open_run.h"
#include "views/common/session/pane.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace riffle {

class Jobs;
class MemorySession;
class MovedReferences;
class SetFacts;
struct SummaryRequest;

/// The state that the views of one window share: the traces, the selection, the filters, and the panes, which have the
/// visible range and the lanes. Owned by the main window and passed to every view. A setter emits changed() once if it
/// changes something; otherwise it does nothing. What it is given about traces that are no members (any more) is left
/// out.
class Session : public QObject {
    Q_OBJECT
public:
    enum Change {
        Traces = 1 << 0,    ///< other traces are open; everything that pointed at the previous ones was dropped
        Selection = 1 << 1, ///< the selected slices
        Area = 1 << 2,
        Marks = 1 << 3,
        Highlight = 1 << 4,                   ///< search hits, all instances of a name
        Load = 1 << 5,                        ///< loading started, advanced or ended
        Filter = 1 << 6,                      ///< filters(), or the range that analyses follow
        Steps = 1 << 7,                       ///< stepsOf()
        Bands = 1 << 8,                       ///< the added lanes
        Members = 1 << 9,                     ///< members of the open set came, went, were reordered or were read again
        Clock = 1 << 10,                      ///< the time of members was mapped anew; only positions change
        Grown = 1 << 11,                      ///< members became longer; all ids, and what was found before, stay true
        Renewed = 1 << 12,                    ///< facts() are about what members have become by growing
        Facts = 1 << 13,                      ///< the small facts about members (TraceMember::facts)
        Runs = 1 << 14,                       ///< run(), shownRun()
        AnyTraces = Traces | Members | Grown, ///< everything that depends on which traces are open
        Placement = AnyTraces | Clock,        ///< everything that depends on set time, too
        Answers = Traces | Members | Clock | Renewed, ///< everything that depends on facts()
        Narrowing = Area | Filter                     ///< everything that request() depends on, except the traces
    };
    Q_DECLARE_FLAGS(Changes, Change)

    explicit Session(QObject *parent = nullptr);
    ~Session() override;

    const TraceSet &traces() const { return m_traces; }
    /// Opens other traces, and shows all of them.
    void setTraces(TraceSet traces);
    /// Replaces the open set by what became of it. What points at its members stays: a slice or lane of a trace that
    /// was read again is found by its lane, time and name, or dropped. The visible range stays, too, unless all was
    /// visible or it lies outside the traces now; then all is shown.
    void changeTraces(TraceSet traces);
    /// Gives a loaded member the next generation of its trace; `growing` is empty for the last one. Without a trace, it
    /// is the newest one that was given. Everything stays as it is, except that the visible range may follow the end
    /// (Pane::followsEnd()). Generations are collected and told together, as Grown, at most ten times a second. facts()
    /// follow more slowly, as Renewed (AnswerPace).
    void growTrace(TraceId id, std::shared_ptr<const Trace> trace, std::optional<Growing> growing);
    /// True if a trace is still being written.
    bool grows() const;
    /// The part of traces that grow that facts() are about.
    AsOf factsAsOf() const;
    /// The most slices of a trace that grows that facts() are about (newestPart()). With more, facts would take memory
    /// without bound, and the pauses between them would become minutes.
    static constexpr uint64_t kMostSlicesOfFacts = 1u << 24;
    void setMostSlicesOfFacts(uint64_t most);
    /// Returns work for a job so that it waits for its turn among all work about traces that grow.
    template <typename Work>
    auto inTurn(Work work) const
    {
        return [turn = grows() ? m_pace.turn() : nullptr, work = std::move(work)](const std::stop_token &stop) mutable {
            const auto place = AnswerPace::waitFor(turn, stop);
            return work(stop);
        };
    }
    /// Increases when slices have other ids: other traces opened, or one was read again.
    uint64_t opening() const { return m_opening; }
    /// The pane of the window.
    Pane *pane() const { return m_pane; }
    /// Results of analyses of the traces, shared by all views; computed on demand, by any thread. They may be about
    /// earlier generations of traces that grow than traces() has.
    std::shared_ptr<const SetFacts> facts() const { return m_facts; }
    /// The runs that the open files belong to; never null. It follows the traces after a moment.
    std::shared_ptr<const OpenRun> run() const { return m_run; }
    void setRun(std::shared_ptr<const OpenRun> run);
    /// Which of them the tables and pages about a run show: a position in OpenRun::layout.
    uint32_t shownRun() const { return m_shownRun; }
    void showRun(uint32_t run);
    SliceRef selected() const { return m_selected; }
    void select(SliceRef slice);
    /// Further selected slices, in the order in which they were added; none without selected().
    const std::vector<SliceRef> &alsoSelected() const { return m_alsoSelected; }
    /// Adds a slice to the selection, or takes it out of it.
    void toggleSelected(SliceRef slice);
    std::optional<AreaSelection> area() const { return m_area; }
    void setArea(std::optional<AreaSelection> area);
    const Filters &filters() const { return m_filters; }
    void setFilters(Filters filters);
    /// The parts of the filters that are set, the newest last.
    const std::vector<Filters::Part> &filterParts() const { return m_filterParts; }
    /// The steps of a loaded trace: those that the filters define, otherwise the profiler's. The former are empty until
    /// they are found, which changed(Steps) tells.
    std::span<const Step> stepsOf(TraceId trace) const;
    /// True if analyses cover only the visible range of the pane; they follow it once it has been unchanged for a
    /// moment. An area takes precedence.
    bool followsView() const { return m_followsView; }
    void setFollowsView(bool on);
    /// The scope of the analyses: the filters, and the area or the followed range. The name of the view is left empty.
    SummaryRequest request() const;
    /// The limits of the tables, as bits of narrowed_by.
    uint32_t narrowedBy() const;
    /// Drops these limits (bits of narrowed_by). The definition of the steps stays.
    void widen(uint32_t limits);
    /// The file that is being read, by name; empty if there is none.
    const QString &loading() const { return m_loading; }
    void setLoading(const QString &name);
    /// The facts about the traces that say why a view is empty.
    EmptyFacts emptyFacts() const;
    /// Does what helps an empty view, as far as the session or the window can do it.
    void help(const EmptyState &state);
    /// Drops the first of these that is set: the highlight, the selected slice, the area, the newest filter. Returns
    /// false if there is none.
    bool escape();
    const std::vector<Mark> &marks() const { return m_marks; }
    void setMarks(std::vector<Mark> marks);
    /// Per trace, the sorted StringIds of the names whose slices are emphasised; if empty, nothing is.
    const PerTrace<std::vector<uint32_t>> &highlight() const { return m_highlight; }
    void setHighlight(PerTrace<std::vector<uint32_t>> names);
    /// Per trace, the ascending SliceIds of slices to emphasise. Setting one kind of highlight replaces the other.
    const PerTrace<BigVector<uint32_t>> &highlightedSlices() const { return m_highlightedSlices; }
    void setHighlightedSlices(PerTrace<BigVector<uint32_t>> slices);
    /// Lanes added to those of the traces, for example from query results.
    const SetBands &bands() const { return m_bands; }
    /// Adds tracks per trace; a track with the key of an existing one replaces it.
    void addBands(SetBands bands);
    void removeBands(const std::string &key);
    bool hasBands(const std::string &key) const;
    /// The open memory snapshots and the current place in them.
    MemorySession *memory() const { return m_memory; }

signals:
    void changed(riffle::Session::Changes changes);
    /// Asks the window to let the user choose files, or to read all of the files that were read in part.
    void openRequested();
    void wholeFileRequested();
    /// Asks the window to load a member that is not in memory.
    void memberRequested(riffle::TraceId id);

private:
    void takeNextSelected();
    void takeGenerations();
    bool renewFacts();
    void forgetChosenSteps();
    void findChosenSteps();
    Changes changesSince(const TraceSet &before, const MovedReferences &references) const;
    Changes pointAgain(const MovedReferences &references);
    Changes keepMarks(const TraceSet &before, const MovedReferences &references);
    void keepChosenSteps(const TraceSet &before, const MovedReferences &references);
    void setFiltersSilently(Filters filters);
    void keepMembers(std::vector<LaneRef> &lanes) const;
    template <typename T>
    void keepMembers(PerTrace<T> &values) const
    {
        uint32_t id = 0;
        for (T &value : values)
            if (!m_traces.member(TraceId(id++)))
                value = T{};
    }

    TraceSet m_traces;
    uint64_t m_opening = 0;
    std::shared_ptr<const SetFacts> m_facts;
    struct Generation {
        std::shared_ptr<const Trace> trace;
        std::optional<Growing> growing;
        uint32_t reading; ///< LoadedTrace::reading of the member
    };
    PerTrace<std::optional<Generation>> m_generations; ///< that were not told yet
    QTimer m_growth;                                   ///< until the next ones may be told
    AnswerPace m_pace;
    uint64_t m_mostSlices = kMostSlicesOfFacts;
    bool m_areFactsBehind = false; ///< traces have grown since facts()
    std::shared_ptr<const OpenRun> m_run = std::make_shared<const OpenRun>();
    uint32_t m_shownRun = 0;
    QString m_loading;
    SliceRef m_selected;
    std::vector<SliceRef> m_alsoSelected;
    std::optional<AreaSelection> m_area;
    Filters m_filters;
    std::vector<Filters::Part> m_filterParts;
    /// The steps that the filters define.
    struct ChosenSteps {
        std::vector<Step> steps;
        bool areFound = false; ///< in all of the trace
    };
    PerTrace<ChosenSteps> m_chosenSteps; ///< empty while the profiler's marks are the steps
    bool m_followsView = false;
    TimeSpan m_followed; ///< the visible range that analyses follow
    QTimer m_rest;
    std::vector<Mark> m_marks;
    PerTrace<std::vector<uint32_t>> m_highlight;
    PerTrace<BigVector<uint32_t>> m_highlightedSlices;
    SetBands m_bands;
    Pane *m_pane;
    MemorySession *m_memory;
    Jobs *m_jobs; ///< finds m_chosenSteps
};
Q_DECLARE_OPERATORS_FOR_FLAGS(Session::Changes)

} // namespace riffle
