// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape/landscape_view.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/memory/allocation/allocation_card.h"
#include "views/memory/allocation/allocation_pane.h"
#include "views/memory/landscape/landscape_canvas.h"
#include "views/memory/landscape/landscape_gestures.h"
#include "views/memory/place_box.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>

namespace riffle {

namespace {
constexpr int kPaneWidth = 330;
} // namespace

LandscapeView::LandscapeView(MemorySession *memory, QWidget *parent)
    : MemoryView(memory,
                 MemorySession::Changes(MemorySession::Everything) & ~MemorySession::Changes(MemorySession::Hover),
                 parent)
    , m_state(new LandscapeState(memory, this))
    , m_places(new PlaceBox(memory, this))
    , m_axes(new QComboBox(this))
    , m_colourings(new QComboBox(this))
    , m_amounts(new QComboBox(this))
    , m_legend(new QLabel(this))
    , m_said(new QLabel(this))
{
    using Colour = MemorySession::Colour;
    auto *split = new QSplitter(Qt::Horizontal, this);
    m_canvas = new LandscapeCanvas(m_state, split);
    m_pane = new AllocationPane(memory, split);
    m_card = new AllocationCard(m_state, memory, this);
    split->addWidget(m_canvas);
    split->addWidget(m_pane);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({1000, kPaneWidth});
    auto *gestures = new LandscapeGestures(m_canvas);
    m_canvas->setAccessibleDescription(LandscapeGestures::help());
    setFocusProxy(m_canvas);

    m_axes->addItems({tr("by event"), tr("by time")});
    m_axes->setToolTip(tr("What the horizontal axis counts"));
    for (const auto &[name, colour] :
         {std::pair(tr("by stack"), Colour::Stack), std::pair(tr("by size"), Colour::Size),
          std::pair(tr("by category"), Colour::Category), std::pair(tr("by pool"), Colour::Pool),
          std::pair(tr("by stream"), Colour::Stream)})
        m_colourings->addItem(name, static_cast<int>(colour));
    m_colourings->setToolTip(tr("What the colours of the bands show"));
    for (const int most : {1'000, 5'000, 15'000, 50'000, 100'000})
        m_amounts->addItem(toQString(formatCount(most)), most);
    m_amounts->setCurrentIndex(m_amounts->findData(m_state->most()));
    m_amounts->setToolTip(
        tr("How many of the largest allocations have their own bands; the sum of the others is striped, on top"));
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_said->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_said->setToolTip(LandscapeGestures::help());

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    bar->addWidget(m_places);
    bar->addWidget(m_axes);
    bar->addSpacing(6);
    bar->addWidget(new QLabel(tr("Colour "), this));
    bar->addWidget(m_colourings);
    bar->addSpacing(6);
    bar->addWidget(new QLabel(tr("Bands "), this));
    bar->addWidget(m_amounts);
    bar->addSpacing(8);
    bar->addWidget(m_legend, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 2);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(split, 1);
    auto *foot = new QHBoxLayout;
    foot->setContentsMargins(8, 2, 8, 2);
    foot->addWidget(m_said);
    layout->addLayout(foot);

    connect(m_axes, &QComboBox::activated, this, [this](int index) { m_state->setTimed(index == 1); });
    connect(m_colourings, &QComboBox::activated, this, [this](int index) {
        this->memory()->setColour(static_cast<Colour>(m_colourings->itemData(index).toInt()));
    });
    connect(m_amounts, &QComboBox::activated, this,
            [this](int index) { m_state->setMost(m_amounts->itemData(index).toInt()); });
    connect(m_state, &LandscapeState::dataChanged, this, &LandscapeView::showData);
    connect(m_canvas, &LandscapeCanvas::coloursChanged, this, &LandscapeView::showLegend);
    connect(gestures, &LandscapeGestures::hovered, this, [this](const LandscapeCanvas::Hit &hit, QPoint at) {
        m_card->showFor(hit, m_canvas->mapTo(this, at), rect());
    });
    connect(m_pane, &AllocationPane::openFileRequested, this, &LandscapeView::openFileRequested);
}

bool LandscapeView::settled() const { return m_state->settled(); }

QString LandscapeView::said() const { return m_said->text(); }

QComboBox *LandscapeView::places() const { return m_places; }

void LandscapeView::refresh(MemorySession::Changes changes)
{
    m_state->follow();
    if (changes & (MemorySession::Snapshots | MemorySession::Place))
        m_places->refresh();
    m_colourings->setCurrentIndex(m_colourings->findData(static_cast<int>(memory()->colour())));
    if (changes & (MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant | MemorySession::Range))
        showData();
}

void LandscapeView::showData()
{
    const LandscapeData *shown = m_state->data();
    const bool timed = m_state->canBeTimed();
    if (auto *items = qobject_cast<QStandardItemModel *>(m_axes->model()))
        items->item(1)->setEnabled(timed);
    m_axes->setCurrentIndex(m_state->timed() ? 1 : 0);
    m_axes->setToolTip(shown && !timed ? toQString(shown->noTimes) : tr("What the horizontal axis counts"));
    if (!shown || !memory()->device()) {
        m_said->clear();
        return;
    }
    const auto count = [](int64_t number) { return toQString(formatCount(number)); };
    const uint32_t slot = shown->slotOf(memory()->instant());
    const LevelGraph::Levels level = shown->levels.at(slot);
    QString text = slot == 0 ? tr("Before the history")
                             : tr("After event %1 of %2").arg(count(slot - 1), count(shown->replay().events));
    text +=
        tr(": %1 allocated, %2 active, %3 reserved").arg(bytesText(level[0]), bytesText(level[1]), bytesText(level[2]));
    if (const auto range = memory()->range())
        text += tr("  ·  range of %1 events").arg(count(int64_t(range->last) - range->first + 1));
    text += tr("  ·  %1 of %2 allocations have their own bands")
                .arg(count(m_state->landscape()->bands()), count(shown->replay().allocations.count()));
    if (!shown->noTimes.empty())
        text += QStringLiteral("  ·  ") + toQString(shown->noTimes);
    m_said->setText(text);
    m_canvas->setAccessibleDescription(text);
}

void LandscapeView::showLegend()
{
    QString html;
    if (memory()->colour() == MemorySession::Colour::Category)
        html = tr("guessed by %1: ").arg(memory()->rulesName()).toHtmlEscaped();
    for (const auto &[name, colour] : m_canvas->colours().legend)
        html += QStringLiteral("<span style='color:%1'>■</span>&nbsp;%2&ensp;")
                    .arg(QColor::fromRgb(colour).name(),
                         name.toHtmlEscaped().replace(QLatin1Char(' '), QStringLiteral("&nbsp;")));
    m_legend->setText(html);
}

} // namespace riffle
