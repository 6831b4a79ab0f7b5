// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"

class QComboBox;
class QLabel;
class QSlider;

namespace riffle {

class AllocatorCanvas;
class AllocatorCurve;
class AllocatorModel;
class PlaceBox;

/// The state of a device's allocator after any event: the map of its segments, figures beside it, and the curves of the
/// whole history below. The slider and the keys move through the history: ← → by one event, PgUp PgDn by 100, Home and
/// End to its ends.
class AllocatorView : public MemoryView {
    Q_OBJECT
public:
    explicit AllocatorView(MemorySession *memory, QWidget *parent = nullptr);

    bool settled() const;
    AllocatorModel *model() const { return m_model; }
    AllocatorCanvas *canvas() const { return m_canvas; }
    AllocatorCurve *curve() const { return m_curve; }
    QSlider *slider() const { return m_slider; }
    QString said() const;    ///< the event in words
    QString figures() const; ///< the text beside the map, plain

protected:
    void refresh(MemorySession::Changes changes) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool move(int key);
    void showMap();
    void showState();
    void showInstant();

    AllocatorModel *m_model;
    AllocatorCanvas *m_canvas;
    AllocatorCurve *m_curve;
    PlaceBox *m_places;
    QSlider *m_slider;
    QLabel *m_said;
    QLabel *m_figures;
    QLabel *m_legend;
};

} // namespace riffle
