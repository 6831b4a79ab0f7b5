// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/memory/memory_view.h"

class QComboBox;
class QLabel;
class QSplitter;

namespace riffle {

class AllocationCard;
class AllocationPane;
class LandscapeCanvas;
class LandscapeState;
class PlaceBox;

/// The active memory of a device over its history, as a stack of bands with one band per allocation. Beside it are the
/// details of the selected allocation.
class LandscapeView : public MemoryView {
    Q_OBJECT
public:
    explicit LandscapeView(MemorySession *memory, QWidget *parent = nullptr);

    bool settled() const;
    LandscapeCanvas *canvas() const { return m_canvas; }
    LandscapeState *state() const { return m_state; }
    AllocationPane *pane() const { return m_pane; }
    AllocationCard *card() const { return m_card; }
    QComboBox *places() const;
    QComboBox *axes() const { return m_axes; }
    QComboBox *colourings() const { return m_colourings; }
    QString said() const; ///< the line below the picture

signals:
    void openFileRequested(const QString &file, int line);

protected:
    void refresh(MemorySession::Changes changes) override;

private:
    void showData();
    void showLegend();

    LandscapeState *m_state;
    LandscapeCanvas *m_canvas;
    AllocationCard *m_card;
    AllocationPane *m_pane;
    PlaceBox *m_places;
    QComboBox *m_axes;
    QComboBox *m_colourings;
    QComboBox *m_amounts;
    QLabel *m_legend;
    QLabel *m_said;
};

} // namespace riffle
