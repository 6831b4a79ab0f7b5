// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/time_scale.h"
#include "views/common/look/palette.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/jobs.h"
#include "views/memory/landscape/band_colours.h"
#include "views/memory/landscape/landscape_data.h"

#include <QObject>

#include <memory>
#include <optional>

namespace riffle {

class MemoryCategories;

/// The state of one landscape: data and bands, computed outside the GUI thread, the axis, and the visible part. Owned
/// by its view.
class LandscapeState : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostBands = 15'000; ///< the initial number of allocations with their own bands

    explicit LandscapeState(MemorySession *memory, QObject *parent = nullptr);

    MemorySession *memory() const { return m_memory; }
    ~LandscapeState() override;
    /// Computes the data, bands and colours that the session currently shows, if they are not there yet.
    void follow();
    bool settled() const { return m_jobs.idle(); }
    /// Null until they are computed; both belong to one device.
    const LandscapeData *data() const { return m_made.data.get(); }
    const Landscape *landscape() const { return m_made.landscape.get(); }
    /// The marks of the program, plus the steps of the trace beside the snapshot if the program did not mark steps;
    /// ordered by start.
    const std::vector<LandscapeMark> &marks() const { return m_marks; }
    /// One colour per band of landscape(). While a newly chosen colouring is computed, bands keep the previous one.
    const BandColours &colours() const { return *m_made.colours; }
    /// Sets the palette of the picture, for which the colours are computed.
    void setPalette(const Palette &palette);

    int most() const { return m_most; }
    void setMost(int most);
    const SlotAxis &axis() const { return m_axis; }
    bool timed() const { return m_axis.timed(); }
    /// The last setTimed(), which takes effect once the landscape is made and its events have times.
    bool wantsTime() const { return m_wantsTime; }
    bool canBeTimed() const { return data() && !data()->times.empty(); }
    /// Keeps the slots in the middle of the view in the middle.
    void setTimed(bool on);

    TimeSpan range() const { return m_range; }
    void setRange(TimeSpan range); ///< clipped to the axis plus a little room
    void zoom(Ns anchor, double factor);
    void pan(double share);
    void showAll();
    /// Fits the selected allocation, otherwise the range of events, into the view.
    void fit();

    /// Bytes at the lower and upper edge of the picture.
    double bottom() const { return m_bottom; }
    double top() const { return m_top; }
    void setHeights(double bottom, double top);
    void zoomHeight(double anchor, double factor);
    /// The snapshot's categories by the session's rules; null if the colours have not needed them yet.
    std::shared_ptr<const MemoryCategories> categories() const;
    double wholeTop() const; ///< the most memory that the device ever held, plus a little room

signals:
    void dataChanged(); ///< other data or bands
    void coloursChanged();
    void sightChanged(); ///< axis, range or heights

private:
    /// The inputs of the colours of bands.
    struct Colouring {
        MemorySession::Colour by = MemorySession::Colour::Stack;
        std::shared_ptr<const MemoryRules> rules; ///< of the categories; null if these do not decide the colours
        const Palette *palette = nullptr;
        bool operator==(const Colouring &) const = default;
    };
    /// The results of the work outside the GUI thread.
    struct Made {
        std::shared_ptr<const LandscapeData> data;
        std::shared_ptr<const Landscape> landscape;
        std::shared_ptr<const MemoryCategories> categories; ///< of the snapshot; null until needed
        std::shared_ptr<const MemoryRules> categorisedBy;   ///< the rules of these categories
        std::shared_ptr<const BandColours> colours;
        Colouring colouring; ///< the inputs of these colours
    };
    static void addColours(Made &made, const Colouring &colouring);
    Colouring colouring() const; ///< the current choice
    void make(Made from);
    void take(Made made);
    void discard(Made old);
    void recolour();
    void gatherMarks();
    TimeSpan bounds() const;

    MemorySession *m_memory;
    Made m_made;
    std::vector<LandscapeMark> m_marks;
    const Palette *m_palette;
    std::optional<Colouring> m_colouring; ///< inputs of the colours that are being computed
    std::shared_ptr<const SnapshotFacts> m_wantedFacts;
    size_t m_wantedDevice = 0;
    int m_most = kMostBands;
    bool m_wantsTime = false;
    SlotAxis m_axis;
    TimeSpan m_range{0, kNarrowestRange};
    double m_bottom = 0;
    double m_top = 1;
    Jobs m_jobs; // last: its destructor waits for jobs
};

} // namespace riffle
