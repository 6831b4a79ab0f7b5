// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/memory/allocator/allocator_map.h"
#include "model/analysis/memory/allocator/fragmentation.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"

#include <QObject>
#include <QString>

#include <memory>

namespace riffle {

/// The allocator of the current device, its state at the instant, and its figures over the whole history, computed
/// outside the GUI thread. Owned by its view.
class AllocatorModel : public QObject {
    Q_OBJECT
public:
    explicit AllocatorModel(MemorySession *memory, QObject *parent = nullptr);

    /// Starts computing the map and the state that the session currently shows, if they are not there yet.
    void follow();
    bool settled() const { return m_jobs.idle(); }
    MemorySession *memory() const { return m_memory; }
    /// Null until they are computed.
    const AllocatorMap *map() const { return m_map ? &m_map->map : nullptr; }
    const AllocatorState *state() const { return m_state.get(); }
    const AllocatorSeries *series() const { return m_series.get(); }

    /// Slots of the history: 0 before it, then one per event.
    uint32_t slotCount() const { return map() ? map()->device().events + 1 : 0; }
    uint32_t slotOf(uint32_t event) const;
    uint32_t eventOf(uint32_t slot) const;
    /// The range of addresses that the event at the state's instant is about; empty if there is none.
    MappedRange eventRange() const;

signals:
    void mapChanged();
    void stateChanged();
    void seriesChanged();

private:
    struct Mapped {
        std::shared_ptr<const SnapshotFacts> facts;
        AllocatorMap map;
    };
    void makeState();

    MemorySession *m_memory;
    std::shared_ptr<const SnapshotFacts> m_wantedFacts;
    size_t m_wantedDevice = 0;
    std::shared_ptr<const Mapped> m_map;
    std::shared_ptr<const AllocatorState> m_state;
    std::shared_ptr<const AllocatorSeries> m_series;
    Jobs m_jobs; // last: its destructor waits for jobs
};

/// "alloc of 20.0 MiB at 0x7f…, default stream, forward model.py:61"
QString allocatorEventText(const AllocatorMap &map, const SnapshotFacts &facts, uint32_t event);
/// Lines about a block or hole and about the stack that allocated it.
QString allocatorPieceText(const AllocatorMap &map, const SnapshotFacts &facts, const AllocatorState &state,
                           const AllocatorPiece &piece);

} // namespace riffle
