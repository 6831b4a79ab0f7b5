// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/lane_scroll_bars.h"

#include <QScrollBar>

#include <algorithm>

namespace riffle {

namespace {
constexpr int kSingleStep = 24; ///< logical pixels
} // namespace

LaneScrollBars::LaneScrollBars(TimelineState *state, QWidget *parent)
    : QWidget(parent)
    , m_state(state)
    , m_device(new QScrollBar(Qt::Vertical, this))
    , m_main(new QScrollBar(Qt::Vertical, this))
{
    setFixedWidth(m_main->sizeHint().width());
    for (const auto &[bar, part] :
         {std::pair(m_device, LaneWindow::Part::Device), std::pair(m_main, LaneWindow::Part::Main)}) {
        bar->setFocusPolicy(Qt::NoFocus);
        bar->setSingleStep(kSingleStep);
        connect(bar, &QScrollBar::valueChanged, this, [this, part = part](int y) { m_state->setScroll(part, y); });
    }
    connect(state, &TimelineState::layoutChanged, this, qOverload<>(&LaneScrollBars::follow));
    connect(state, &TimelineState::scrolled, this, qOverload<>(&LaneScrollBars::follow));
    follow();
}

void LaneScrollBars::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    follow();
}

void LaneScrollBars::follow()
{
    follow(m_device, LaneWindow::Part::Device);
    follow(m_main, LaneWindow::Part::Main);
}

void LaneScrollBars::follow(QScrollBar *bar, LaneWindow::Part part)
{
    const QSignalBlocker quiet(bar);
    const LaneWindow *window = m_state->viewport().find(part);
    const int most = m_state->viewport().maximumScroll(part);
    bar->setVisible(window && most > 0);
    if (!window)
        return;
    bar->setGeometry(0, window->top, width(), window->bottom - window->top);
    bar->setRange(0, most);
    bar->setPageStep(std::max(1, window->bottom - window->top));
    bar->setValue(m_state->viewport().scroll(part));
}

} // namespace riffle
