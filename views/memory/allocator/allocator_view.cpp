// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocator/allocator_view.h"

#include "model/analysis/memory/allocator/allocator_tables.h"
#include "model/base/format.h"
#include "views/common/look/palette.h"
#include "views/common/look/qt_text.h"
#include "views/memory/allocator/allocator_canvas.h"
#include "views/memory/allocator/allocator_curve.h"
#include "views/memory/allocator/allocator_model.h"
#include "views/memory/place_box.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QSplitter>
#include <QTextDocumentFragment>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>

namespace riffle {

namespace {

constexpr int kFiguresWidth = 250;
constexpr int kPage = 100;     ///< events per PgUp or PgDn
constexpr int kLeastLines = 6; ///< of the map

} // namespace

AllocatorView::AllocatorView(MemorySession *memory, QWidget *parent)
    : MemoryView(memory, MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant, parent)
    , m_model(new AllocatorModel(memory, this))
    , m_places(new PlaceBox(memory, this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_said(new QLabel(this))
    , m_figures(new QLabel(this))
    , m_legend(new QLabel(this))
{
    auto *split = new QSplitter(Qt::Vertical, this);
    auto *upper = new QWidget(split);
    m_canvas = new AllocatorCanvas(m_model, upper);
    m_curve = new AllocatorCurve(m_model, split);
    m_slider->setToolTip(tr("The event after which the state is shown. Keys: ← → by one, PgUp PgDn by 100, Home, End"));
    m_slider->setAccessibleName(tr("Event"));
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_said->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setTextFormat(Qt::RichText);
    m_figures->setWordWrap(true);
    m_figures->setAlignment(Qt::AlignTop);
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_figures->setMargin(8);
    m_legend->setTextFormat(Qt::RichText);
    auto *beside = new QScrollArea(upper);
    beside->setFrameShape(QFrame::NoFrame);
    beside->setWidgetResizable(true);
    beside->setWidget(m_figures);
    beside->setFixedWidth(kFiguresWidth);
    auto *row = new QHBoxLayout(upper);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_canvas, 1);
    row->addWidget(beside);
    split->addWidget(upper);
    split->addWidget(m_curve);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 1);
    split->setSizes({3000, 1000}); // shares of whatever height there is
    split->setChildrenCollapsible(false);
    upper->setMinimumHeight(kLeastLines * AllocatorCanvas::kLine);

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->addWidget(m_places);
    bar->addWidget(m_slider, 1);
    bar->addSpacing(8);
    bar->addWidget(m_legend);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(8, 2, 8, 2);
    foot->addWidget(m_said);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 2);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addLayout(foot);
    layout->addWidget(split, 1);
    setFocusProxy(m_slider);

    for (QWidget *one :
         {static_cast<QWidget *>(m_slider), static_cast<QWidget *>(m_canvas), static_cast<QWidget *>(m_curve)})
        one->installEventFilter(this);
    m_canvas->setFocusPolicy(Qt::StrongFocus);
    m_curve->setFocusPolicy(Qt::ClickFocus);
    connect(m_slider, &QSlider::valueChanged, this, [this](int slot) {
        if (m_model->map())
            this->memory()->setInstant(m_model->eventOf(static_cast<uint32_t>(slot)));
    });
    connect(m_model, &AllocatorModel::mapChanged, this, &AllocatorView::showMap);
    connect(m_model, &AllocatorModel::stateChanged, this, &AllocatorView::showState);
}

bool AllocatorView::settled() const { return m_model->settled(); }

QString AllocatorView::said() const { return m_said->text(); }

QString AllocatorView::figures() const { return QTextDocumentFragment::fromHtml(m_figures->text()).toPlainText(); }

void AllocatorView::refresh(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place))
        m_places->refresh();
    m_model->follow();
    showInstant();
}

bool AllocatorView::eventFilter(QObject *watched, QEvent *event)
{
    return event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->modifiers() == Qt::NoModifier &&
                   move(static_cast<QKeyEvent *>(event)->key())
               ? true
               : MemoryView::eventFilter(watched, event);
}

/// Handles a key that moves the slider; false if the key has no meaning here.
bool AllocatorView::move(int key)
{
    if (!m_model->map())
        return false;
    const int now = m_slider->value();
    switch (key) {
    case Qt::Key_Left: m_slider->setValue(now - 1); return true;
    case Qt::Key_Right: m_slider->setValue(now + 1); return true;
    case Qt::Key_PageUp: m_slider->setValue(now - kPage); return true;
    case Qt::Key_PageDown: m_slider->setValue(now + kPage); return true;
    case Qt::Key_Home: m_slider->setValue(0); return true;
    case Qt::Key_End: m_slider->setValue(m_slider->maximum()); return true;
    case Qt::Key_Escape: return memory()->escape();
    default: return false;
    }
}

void AllocatorView::showMap()
{
    const Palette &colours = Palette::fitting(palette());
    const auto key = [](QRgb colour, const QString &sign, const QString &name) {
        return QStringLiteral("<span style='color:%1'>%2</span>&nbsp;%3&ensp;")
            .arg(QColor::fromRgb(colour).name(), sign, name);
    };
    m_legend->setText(key(colours.graphLine, QStringLiteral("■"), tr("in&nbsp;use")) +
                      key(colours.flow, QStringLiteral("▒"), tr("rounding")) +
                      key(colours.mark, QStringLiteral("▨"), tr("pending")) +
                      key(colours.edge, QStringLiteral("□"), tr("free")));
    const QSignalBlocker blocker(m_slider);
    m_slider->setRange(
        0, m_model->map() ? static_cast<int>(std::min<uint32_t>(m_model->map()->device().events, INT_MAX)) : 0);
    m_slider->setPageStep(kPage);
    m_slider->setEnabled(m_model->slotCount() > 1);
    showInstant();
    if (!m_model->map())
        m_figures->clear();
}

/// Shows the event in words, and the position of the slider.
void AllocatorView::showInstant()
{
    const auto facts = memory()->facts();
    const AllocatorMap *map = m_model->map();
    if (!map || !facts) {
        m_said->clear(); // a notice covers the view
        return;
    }
    const uint32_t slot = m_model->slotOf(memory()->instant());
    const QSignalBlocker blocker(m_slider);
    m_slider->setValue(static_cast<int>(slot));
    const QString number =
        slot == 0 ? QString()
                  : tr("Event %1 of %2: ")
                        .arg(toQString(formatCount(slot - 1)), toQString(formatCount(map->device().events)));
    m_said->setText(map->device().events == 0
                        ? tr("The snapshot contains no history of this device. This is its final state.")
                        : number + allocatorEventText(*map, *facts, memory()->instant()));
}

void AllocatorView::showState()
{
    const AllocatorState *state = m_model->state();
    if (!state)
        return;
    const AllocatorFigures &all = state->figures;
    QString html = QStringLiteral("<table cellspacing='0' cellpadding='2'>");
    const auto row = [&](const QString &name, const QString &value, const QString &why = {}) {
        html += QStringLiteral("<tr><td title='%3'>%1</td><td align='right'><b>&nbsp;%2</b></td></tr>")
                    .arg(name, value.toHtmlEscaped(), why);
    };
    const auto count = [](uint64_t number) { return toQString(formatCount(static_cast<int64_t>(number))); };
    row(tr("Reserved"), bytesText(all.reserved));
    row(tr("Allocated (requested sizes)"), bytesText(all.allocated));
    row(tr("Pending frees"), bytesText(all.pending));
    row(tr("Rounding"), bytesText(all.rounding()));
    row(tr("Free in segments"), bytesText(all.free));
    row(tr("Largest hole"), bytesText(all.largestFree));
    row(tr("Holes"), count(all.holes));
    row(tr("Segments"), count(all.segments));
    row(tr("Blocks"), count(all.blocks));
    row(tr("1 − largest hole / free"), toQString(formatShare(all.fragmentation())));
    row(tr("Σ hole² / (Σ segment)²"), toQString(formatShare(all.squaredFragmentation())));
    html += QStringLiteral("</table>");
    if (all.guessedBlocks)
        html += QStringLiteral("<p>%1</p>")
                    .arg(tr("Blocks without a recorded size: %1. Their sizes follow from the allocator's rules for "
                            "rounding and splitting.")
                             .arg(count(all.guessedBlocks)));
    for (const std::string &remark : allocatorRemarks(*m_model->map(), *state))
        html += QStringLiteral("<p>%1</p>").arg(toQString(remark).toHtmlEscaped());
    m_figures->setText(html);
    m_canvas->showEventBlock();
}

} // namespace riffle
