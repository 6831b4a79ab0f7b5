// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/empty/empty_state.h"
#include "model/analysis/memory/categories/memory_rules.h"
#include "model/analysis/memory/memory_replay.h"
#include "model/base/ids.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace riffle {

class SnapshotFacts;

/// The state that the views of memory snapshots share: the open snapshots, the current snapshot and device, the
/// instant, the range of events and the selection. Owned by the session. A setter emits changed() once if it changes
/// something; otherwise it does nothing.
class MemorySession : public QObject {
    Q_OBJECT
public:
    enum Change {
        Snapshots = 1 << 0,
        Place = 1 << 1, ///< another snapshot or device is current
        Instant = 1 << 2,
        Range = 1 << 3,
        Selection = 1 << 4, ///< the selected allocation
        Hover = 1 << 5,     ///< the hovered allocation
        Colouring = 1 << 6,
        Cursor = 1 << 7, ///< the time under the pointer, here or in the timeline beside it
        Rules = 1 << 8,  ///< the rules by which categories are guessed
        Steps = 1 << 9,  ///< the steps of the trace beside it
        Load = 1 << 10,  ///< loading()
        Owner = 1 << 11, ///< the traces that the snapshots belong to
        Everything = (1 << 12) - 1
    };
    Q_DECLARE_FLAGS(Changes, Change)

    static constexpr uint32_t kNone = MemoryAllocations::kNone;
    using SnapshotList = std::vector<std::shared_ptr<const SnapshotFacts>>;
    /// The property that decides the colour of an allocation.
    enum class Colour : uint8_t { Stack, Size, Category, Pool, Stream };
    struct At {
        size_t snapshot = 0; ///< index in snapshots()
        size_t device = 0;   ///< index in replay().devices
        bool operator==(const At &) const = default;
    };
    /// A step of the trace beside the snapshots.
    struct Step {
        int64_t number = 0;
        int64_t begin = 0, end = 0; ///< Unix ns
        bool operator==(const Step &) const = default;
    };
    /// A range of events by their rows, including `last`.
    struct EventRange {
        uint32_t first = 0;
        uint32_t last = 0;
        bool operator==(const EventRange &) const = default;
    };

    explicit MemorySession(QObject *parent = nullptr);
    ~MemorySession() override;

    const SnapshotList &snapshots() const { return m_snapshots; }
    bool empty() const { return m_snapshots.empty(); }
    /// Shows the first snapshot's GPU with the highest peak (the first one if several are equal), at its peak; the host
    /// only if there is no GPU.
    void setSnapshots(SnapshotList snapshots);
    /// The trace that a snapshot belongs to because somebody said so; invalid if nobody did.
    TraceId chosenTrace(size_t snapshot) const;
    /// Sets it for each snapshot. Other snapshots have none again.
    void setChosenTraces(std::vector<TraceId> traces);

    At place() const { return m_at; }
    /// Shows a device at its peak; drops the range, the selection and the hover. Ignored if there is no such device.
    void setPlace(At at);
    /// The facts of the current snapshot; null while nothing is open.
    std::shared_ptr<const SnapshotFacts> facts() const;
    /// The current device; null while nothing is open or if the snapshot has no device. Lives as long as facts().
    const DeviceReplay *device() const;
    const MemorySnapshot *snapshot() const;

    /// The event of the device after which the state is shown; kNone for the state before the history.
    uint32_t instant() const { return m_instant; }
    /// An event outside the range of the device is replaced by its first or last event, whichever is nearer.
    void setInstant(uint32_t event);
    std::optional<EventRange> range() const { return m_range; }
    void setRange(std::optional<EventRange> range); ///< clipped to the device's events
    /// A row of the device's allocations, or kNone.
    uint32_t selected() const { return m_selected; }
    void select(uint32_t allocation);
    uint32_t hovered() const { return m_hovered; }
    void setHovered(uint32_t allocation);
    std::optional<int64_t> cursor() const { return m_cursor; } ///< Unix ns
    void setCursor(std::optional<int64_t> unixNs);
    /// Empty if there is no trace beside the snapshots or its time cannot be compared.
    const std::vector<Step> &steps() const { return m_steps; }
    void setSteps(std::vector<Step> steps);
    Colour colour() const { return m_colour; }
    void setColour(Colour colour);
    /// The rules by which categories are guessed; never null.
    const std::shared_ptr<const MemoryRules> &rules() const { return m_rules; }
    /// The file that contains the rules; empty for the built-in rules.
    const QString &rulesFile() const { return m_rulesFile; }
    /// The name to show to the user: "the rules of mine.json".
    QString rulesName() const;
    void setRules(std::shared_ptr<const MemoryRules> rules, const QString &file);
    void useBuiltInRules();
    /// The file that is being read, by name; empty if there is none.
    const QString &loading() const { return m_loading; }
    void setLoading(const QString &name);
    /// Says if a trace is open, so that empty views can mention it.
    void setTraceOpen(bool open);
    /// Why views are empty while no snapshot with a device is open; reason None if one is.
    EmptyState emptyState() const;
    /// Why views of the history are empty: also if the device has none.
    EmptyState historyState() const;
    /// Drops the selection; if nothing is selected, the range.
    bool escape(); ///< false if there was nothing to drop

signals:
    void changed(riffle::MemorySession::Changes changes);
    void openRequested(); ///< asks the window to let the user choose files

private:
    Changes dropAll();
    uint32_t confined(uint32_t event) const;

    SnapshotList m_snapshots;
    std::vector<TraceId> m_chosenTraces; ///< one per snapshot; empty if nobody chose any
    At m_at;
    uint32_t m_instant = kNone;
    std::optional<EventRange> m_range;
    uint32_t m_selected = kNone;
    uint32_t m_hovered = kNone;
    std::optional<int64_t> m_cursor;
    std::vector<Step> m_steps;
    Colour m_colour = Colour::Stack;
    std::shared_ptr<const MemoryRules> m_rules;
    QString m_rulesFile;
    QString m_loading;
    bool m_isTraceOpen = false;
};
Q_DECLARE_OPERATORS_FOR_FLAGS(MemorySession::Changes)

} // namespace riffle
