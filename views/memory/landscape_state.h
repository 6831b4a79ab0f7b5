// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "views/common/jobs.h"
#include "views/common/memory_session.h"
#include "views/memory/landscape_data.h"

#include <QObject>

#include <memory>
#include <optional>

namespace riffle {

class MemoryCategories;

/// What one landscape shows: data and bands, made off the GUI thread, the axis, and the part that is visible. Owned by its view.
class LandscapeState : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostBands = 15'000; ///< that are drawn of their own at first

    explicit LandscapeState(MemorySession *memory, QObject *parent = nullptr);

    MemorySession *memory() const { return m_memory; }
    ~LandscapeState() override;
    /// Makes data and bands for the place of the session, and categories where these are the colours, if they are not there.
    void follow();
    bool settled() const { return m_jobs.idle(); }
    /// Null until they are made; both are of one device.
    const LandscapeData *data() const { return m_data.get(); }
    const Landscape *landscape() const { return m_landscape.get(); }
    /// What allocations are guessed to be for; null until it is known.
    const MemoryCategories *categories() const { return m_categories.get(); }

    int most() const { return m_most; }
    void setMost(int most);
    const SlotAxis &axis() const { return m_axis; }
    bool timed() const { return m_axis.timed(); }
    bool canBeTimed() const { return m_data && !m_data->times.empty(); }
    /// The slots in the middle stay in the middle.
    void setTimed(bool on);

    TimeSpan range() const { return m_range; }
    void setRange(TimeSpan range); ///< clipped to the axis with a little room
    void zoom(Ns anchor, double factor);
    void pan(double share);
    void showAll();
    /// The selected allocation, else the range of events, fills the view.
    void fit();

    /// Bytes at the lower and upper edge of the picture.
    double bottom() const { return m_bottom; }
    double top() const { return m_top; }
    void setHeights(double bottom, double top);
    void zoomHeight(double anchor, double factor);
    double wholeTop() const; ///< all that the device ever held, with a little room

signals:
    void dataChanged();  ///< other data or bands
    void sightChanged(); ///< axis, range or heights

private:
    void categorise();
    void take(std::shared_ptr<const LandscapeData> data, std::shared_ptr<const Landscape> landscape);
    TimeSpan bounds() const;

    MemorySession *m_memory;
    std::shared_ptr<const LandscapeData> m_data;
    std::shared_ptr<const Landscape> m_landscape;
    std::shared_ptr<const MemoryCategories> m_categories;
    std::shared_ptr<const SnapshotFacts> m_categorised; ///< which snapshot categories are or will be of
    std::shared_ptr<const MemoryRules> m_categorisedBy; ///< and by which rules
    std::shared_ptr<const SnapshotFacts> m_wantedFacts;
    size_t m_wantedDevice = 0;
    int m_most = kMostBands;
    bool m_wantsTime = false;
    SlotAxis m_axis;
    TimeSpan m_range{0, kNarrowestRange};
    double m_bottom = 0;
    double m_top = 1;
    Jobs m_jobs; // last: its end waits for work
};

} // namespace riffle
