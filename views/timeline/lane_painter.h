// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/layout/draw_list.h"
#include "views/common/look/palette.h"
#include "views/timeline/label_cache.h"
#include "views/timeline/slice_colours.h"

#include <QImage>

#include <array>
#include <functional>
#include <vector>

namespace riffle {

/// Paints a draw list into an image. It works on pixels: a row of boxes is computed as one line of colours and copied
/// down the row's height, so the cost of a picture depends on its pixels rather than its boxes.
class LanePainter {
public:
    struct Job {
        const DrawList *list = nullptr;
        const TraceSet *set = nullptr;
        const SetGraphs *graphs = nullptr;
        /// Per trace, the sorted names to emphasise; null or empty for no emphasis.
        const PerTrace<std::vector<uint32_t>> *highlight = nullptr;
        /// Per trace, the ascending SliceIds to emphasise instead of names; null or empty for names.
        const PerTrace<BigVector<uint32_t>> *slices = nullptr;
        std::function<bool(const LaneItem &)> excluded; ///< true if nothing in a strip is emphasised; may be empty
        ColourMode colours = ColourMode::Class;
        const SetWorkClasses *classes = nullptr; ///< for ColourMode::Class
        const SetTints *tints = nullptr;         ///< for the modes that have tints
        bool patterns = false;                   ///< classes also differ in a pattern
        const Palette *palette = nullptr;
        TimeScale scale;
        double ratio = 1; ///< device pixels per logical pixel
        int yOffset = 0;  ///< logical pixels: y of the section's top in the image
        int clipTop = 0;  ///< logical pixels: the part of the image that belongs to the section
        int clipBottom = 0;
        Ns timeOrigin = 0; ///< the time from which the ruler counts
    };

    void setTraces(const TraceSet &set);
    /// Takes the next generations of traces that grow.
    void growTraces(const TraceSet &set);
    void setFont(const QFont &font, double ratio) { m_labels.setFont(font, ratio); }
    void paint(QImage &image, const Job &job);

private:
    /// The shades of one slice colour.
    struct Tones {
        QRgb body = 0;
        QRgb edge = 0;
        QRgb softEdge = 0;
        QRgb ink = 0;
        std::array<QRgb, 14> crowd{}; ///< indexed by the number of bits of the count
    };

    void paintItem(QImage &image, const DrawnItem &drawn);
    void paintRow(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom);
    /// Paints the stripes of a folded heading.
    void paintSummary(QImage &image, const DrawnItem &drawn, int top, int bottom);
    /// Paints bands that show that nothing happened.
    void paintHatched(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom);
    /// Paints the patterns of the classes over their fills.
    void paintPatterns(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom);
    /// Marks slices that cross others or never ended.
    void paintOdd(QImage &image, const DrawnItem &drawn, const std::vector<Box> &boxes, int top, int bottom);
    void paintGraph(QImage &image, const DrawnItem &drawn, int top, int bottom);
    void paintInstants(QImage &image, const DrawnItem &drawn, int top);
    void makeBackground();
    void makeTones();
    Tones tonesOf(QRgb colour, QRgb text, bool dim) const;
    void fill(QImage &image, int top, int bottom, QRgb colour) const;
    void copyLine(QImage &image, int top, int bottom) const;
    int device(int y) const;
    bool emphasised(const LaneItem &item, const Box &box) const;

    Job m_job;
    LabelCache m_labels;
    PerTrace<SliceColours> m_colours;
    std::vector<QRgb> m_background; ///< one line of canvas with its grid lines
    std::vector<QRgb> m_line;
    const Palette *m_tonesPalette = nullptr; ///< the palette of the tones below
    std::vector<Tones> m_tones;              ///< per index of SliceColours
    bool m_excluded = false;                 ///< the result of m_job.excluded for the current strip
    Tones m_changeTones;                     ///< of the track of changes that is being painted
    std::vector<Tones> m_dimmed;             ///< the same for slices that are not highlighted
    int m_clipTop = 0;                       ///< device pixels
    int m_clipBottom = 0;
};

} // namespace riffle
