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

/// What one landscape shows: data and bands, made off the GUI thread, the axis, and the part that is visible. Owned by
/// its view.
class LandscapeState : public QObject {
    Q_OBJECT
public:
    static constexpr int kMostBands = 15'000; ///< that are drawn of their own at first

    explicit LandscapeState(MemorySession *memory, QObject *parent = nullptr);

    MemorySession *memory() const { return m_memory; }
    ~LandscapeState() override;
    /// Makes data, bands and their colours for what the session looks at, if they are not there.
    void follow();
    bool settled() const { return m_jobs.idle(); }
    /// Null until they are made; both are of one device.
    const LandscapeData *data() const { return m_made.data.get(); }
    const Landscape *landscape() const { return m_made.landscape.get(); }
    /// Of the program, and the steps of the trace beside it where the program left none; by begin.
    const std::vector<LandscapeMark> &marks() const { return m_marks; }
    /// One a band of landscape(). Those that were chosen last may still be under way: then bands keep what they have.
    const BandColours &colours() const { return *m_made.colours; }
    /// Of the picture: colours are made to go with it.
    void setPalette(const Palette &palette);

    int most() const { return m_most; }
    void setMost(int most);
    const SlotAxis &axis() const { return m_axis; }
    bool timed() const { return m_axis.timed(); }
    bool canBeTimed() const { return data() && !data()->times.empty(); }
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
    /// Of the snapshot by the session's rules; null while these are not the colours.
    std::shared_ptr<const MemoryCategories> categories() const;
    double wholeTop() const; ///< all that the device ever held, with a little room

signals:
    void dataChanged(); ///< other data or bands
    void coloursChanged();
    void sightChanged(); ///< axis, range or heights

private:
    /// What bands are coloured by.
    struct Colouring {
        MemorySession::Colour by = MemorySession::Colour::Stack;
        std::shared_ptr<const MemoryRules> rules; ///< of categories; null where these are not the colours
        const Palette *palette = nullptr;
        bool operator==(const Colouring &) const = default;
    };
    /// What is made off the GUI thread.
    struct Made {
        std::shared_ptr<const LandscapeData> data;
        std::shared_ptr<const Landscape> landscape;
        std::shared_ptr<const MemoryCategories> categories; ///< of the snapshot, once they were asked for
        std::shared_ptr<const MemoryRules> categorisedBy;   ///< and by which rules
        std::shared_ptr<const BandColours> colours;
        Colouring colouring; ///< what these colours were made by
    };
    static void addColours(Made &made, const Colouring &colouring);
    Colouring colouring() const; ///< what is asked for now
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
    std::optional<Colouring> m_colouring; ///< what colours are being made by
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
