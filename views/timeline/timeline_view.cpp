// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_view.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lane_divider.h"
#include "views/timeline/lane_gestures.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lane_scroll_bars.h"
#include "views/timeline/lane_state_json.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/minimap_legend.h"
#include "views/timeline/navigation.h"
#include "views/timeline/slice_menu.h"
#include "views/timeline/step_ribbon.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>

#include <algorithm>
#include <array>

namespace riffle {

namespace {
constexpr int kLongestSaid = 200; ///< characters of a name
/// The modes of colours in saved states, in the order of ColourMode.
constexpr std::array<const char *, 6> kColourModes{"class", "name", "lane", "step", "duration", "annotation"};
} // namespace

TimelineView::TimelineView(Pane *pane, QWidget *parent)
    : QWidget(parent)
    , m_pane(pane)
    , m_session(pane->session())
    , m_state(new TimelineState(pane, this))
    , m_navigation(new Navigation(m_state, this))
    , m_minimap(new Minimap(m_state, this))
    , m_legend(new MinimapLegend(m_state, m_minimap, this))
    , m_ruler(new TimeRuler(m_state, this))
    , m_steps(new StepRibbon(m_state, this))
    , m_labels(new LaneLabels(m_state, this))
    , m_canvas(new LanesCanvas(m_state, this))
    , m_gestures(new LaneGestures(m_state, m_canvas, m_navigation, this))
    , m_card(new HoverCard(m_state, this))
    , m_heldCard(new HoverCard(m_state, this))
    , m_filter(new QLineEdit(this))
    , m_filterBox(new QWidget(this))
    , m_scrollBars(new LaneScrollBars(m_state, this))
    , m_divider(new LaneDivider(m_state, this))
    , m_empty(new EmptyNotice(m_canvas))
{
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_InputMethodEnabled, false);
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    build();
    setLabelWidth(m_labelWidth);
    m_empty->coverParent();
    connect(m_empty, &EmptyNotice::helpWanted, this, &TimelineView::help);
    connect(m_state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Answers | Session::Load))
            explainEmptiness();
    });
    explainEmptiness();
    setAccessibleName(tr("Timeline"));
    connect(m_state, &TimelineState::sessionChanged, this, [this](Session::Changes changes) {
        if (changes & (Session::Answers | Session::Selection | Session::Area))
            describe();
    });
    describe();

    connect(m_filter, &QLineEdit::textChanged, m_state, &TimelineState::setFilter);
    connect(m_filter, &QLineEdit::returnPressed, this, [this] { setFocus(); });
    m_filter->installEventFilter(this);
    connect(m_labels, &LaneLabels::widthWanted, this, &TimelineView::setLabelWidth);
    connect(m_minimap, &Minimap::linesChanged, m_labels, [this] { m_labels->setBusy(m_minimap->busyRanks()); });
    connect(m_state, &TimelineState::layoutChanged, this, [this] {
        placeDivider();
        explainEmptiness();
        if (m_filter->text().trimmed() != toQString(m_pane->lanes().filter))
            m_filter->setText(toQString(m_pane->lanes().filter));
        emit stateChanged();
    });
    connect(m_state, &TimelineState::scrolled, this, &TimelineView::placeDivider); // also when the height changes
    connect(m_state, &TimelineState::picturesChanged, this, &TimelineView::stateChanged);
    connect(m_navigation, &Navigation::tableRequested, this, &TimelineView::tableRequested);
    connect(m_navigation, &Navigation::comparisonRequested, this, &TimelineView::comparisonRequested);
    connect(m_navigation, &Navigation::told, this, &TimelineView::told);
    connect(m_gestures, &LaneGestures::hovered, this, &TimelineView::showCard);
}

TimelineView::~TimelineView()
{
    // Widgets still get events while they are destroyed, so the objects that they use must outlive them.
    delete m_gestures;
    qDeleteAll(findChildren<QWidget *>(Qt::FindDirectChildrenOnly));
}

void TimelineView::build()
{
    m_filter->setText(toQString(m_pane->lanes().filter));
    m_filter->setPlaceholderText(tr("Filter lanes"));
    m_filter->setClearButtonEnabled(true);
    m_filter->setFocusPolicy(Qt::ClickFocus);
    auto *filterLayout = new QGridLayout(m_filterBox);
    filterLayout->setContentsMargins(8, 2, 8, 2);
    filterLayout->addWidget(m_filter, 0, 0);
    m_filterBox->setAutoFillBackground(true);
    m_filterBox->setBackgroundRole(QPalette::Base);

    auto *grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(0);
    grid->addWidget(m_legend, 0, 0);
    grid->addWidget(m_minimap, 0, 1);
    grid->addWidget(m_filterBox, 1, 0, 2, 1);
    grid->addWidget(m_ruler, 1, 1);
    grid->addWidget(m_steps, 2, 1);
    grid->addWidget(m_labels, 3, 0);
    grid->addWidget(m_canvas, 3, 1);
    grid->addWidget(m_scrollBars, 3, 2);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(3, 1);
}

void TimelineView::setLabelWidth(int width)
{
    m_labelWidth = std::clamp(width, 90, 700);
    m_legend->setFixedWidth(m_labelWidth);
    m_filterBox->setFixedWidth(m_labelWidth);
    m_labels->setFixedWidth(m_labelWidth);
    placeDivider();
    emit stateChanged();
}

void TimelineView::placeDivider() { m_divider->place(m_labels->geometry().united(m_canvas->geometry())); }

void TimelineView::setSlim(bool withRuler)
{
    m_minimap->leaveOut();
    m_legend->hide();
    m_steps->leaveOut();
    m_ruler->setVisible(withRuler);
    m_filterBox->setVisible(withRuler);
}

void TimelineView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    placeDivider();
}

void TimelineView::explainEmptiness()
{
    EmptyFacts known = m_session->emptyFacts();
    const LaneLayout &layout = m_state->layout();
    if (!layout.items().empty() || !layout.pinned().empty() || (!known.open && m_state->preview())) {
        m_empty->say({});
        return;
    }
    known.rowFilter = m_pane->lanes().filter;
    known.rowsUnfiltered = layout.laneCount();
    known.row = "lane";
    known.rows = "lanes";
    m_empty->say(emptyState(known));
}

void TimelineView::help(const EmptyState &state)
{
    if (state.action == EmptyAction::ShowHidden || state.action == EmptyAction::ClearRowFilter)
        m_state->showAll();
    else
        m_session->help(state);
    setFocus();
}

void TimelineView::showCard(const Hit &hit, QPoint at)
{
    const bool isCompared = m_heldCard->slice().valid() && hit.slice != m_heldCard->slice();
    m_card->showFor(isCompared || !m_heldCard->slice().valid() ? hit : Hit(), m_canvas->timeAt(at.x()),
                    m_canvas->mapTo(this, at), m_canvas->geometry(), isCompared ? m_heldCard : nullptr);
}

/// Tells assistive technology what is selected.
void TimelineView::describe()
{
    QStringList said;
    const SliceRef selected = m_session->selected();
    if (const Trace *trace = selected.valid() ? m_pane->traces().trace(selected.trace) : nullptr) {
        const SliceCard card = sliceCard(*trace, selected.slice, m_session->stepsOf(selected.trace));
        said += tr("Selected: %1").arg(singleLine(toQString(card.name), kLongestSaid));
        for (const CardRow &row : card.rows)
            said += toQString(row.label) + QLatin1Char(' ') + toQString(row.text);
        if (!m_session->alsoSelected().empty())
            said += tr("and %1 more").arg(m_session->alsoSelected().size());
    }
    if (const auto area = m_session->area())
        said += tr("Range: %1").arg(toQString(formatDuration(area->span.duration())));
    setAccessibleDescription(said.isEmpty() ? tr("Nothing is selected") : said.join(QStringLiteral(", ")));
    QAccessibleEvent told(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&told);
}

/// Holds the card that is shown, or lets it go.
void TimelineView::holdCard(bool on)
{
    if (on && m_card->slice().valid() && !m_heldCard->slice().valid()) {
        m_heldCard->take(*m_card);
        m_card->dismiss();
    } else if (!on) {
        m_heldCard->dismiss();
    }
}

bool TimelineView::event(QEvent *event)
{
    // Alt alone would otherwise give the keyboard to the menu bar.
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Alt &&
        m_card->slice().valid()) {
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Alt) {
        holdCard(true);
        return;
    }
    m_heldCard->dismiss();
    m_gestures->quieten();
    if (event->matches(QKeySequence::Copy)) {
        const SliceRef selected = m_session->selected();
        const Trace *trace = selected.valid() ? m_pane->traces().trace(selected.trace) : nullptr;
        if (const auto slice = trace ? trace->slice(selected.slice) : std::nullopt)
            QApplication::clipboard()->setText(toQString(trace->string(slice->data.name)));
        return;
    }
    if (m_pane->traces().empty() || !m_navigation->keyPress(*event))
        QWidget::keyPressEvent(event);
}

void TimelineView::keyReleaseEvent(QKeyEvent *event)
{
    if (event->key() == Qt::Key_Alt)
        holdCard(false);
    if (!m_navigation->keyRelease(*event))
        QWidget::keyReleaseEvent(event);
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    m_navigation->stop();
    holdCard(false);
    QWidget::focusOutEvent(event);
}

void TimelineView::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byMouse = event->reason() == QContextMenuEvent::Mouse;
    const QPoint at = m_canvas->mapFrom(this, event->pos());
    if (byMouse && !m_canvas->rect().contains(at))
        return;
    const SliceRef slice = byMouse ? m_canvas->hitAt(at).slice : m_session->selected();
    QMenu menu(this);
    if (!fillSliceMenu(&menu, m_state, m_navigation, slice))
        return;
    menu.exec(byMouse ? event->globalPos() : m_canvas->mapToGlobal(m_canvas->rect().center()));
}

bool TimelineView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_filter && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        m_filter->clear();
        setFocus();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void TimelineView::setPreview(const LoadPreview &preview) { m_state->setPreview(preview); }

void TimelineView::reveal(SliceRef slice) { m_navigation->reveal(slice); }

bool TimelineView::absoluteTime() const { return m_state->absoluteTime(); }

void TimelineView::setAbsoluteTime(bool on) { m_state->setAbsoluteTime(on); }

bool TimelineView::showsCriticalPath() const { return m_state->showsCriticalPath(); }

void TimelineView::showCriticalPath(bool on) { m_state->showCriticalPath(on); }

ColourMode TimelineView::colourMode() const { return m_state->colourMode(); }

void TimelineView::setColourMode(ColourMode mode) { m_state->setColourMode(mode); }

bool TimelineView::isGroupedByName() const { return m_pane->lanes().byName; }

void TimelineView::groupByName(bool on) { m_state->groupByName(on); }

bool TimelineView::showsAllFrames() const { return m_pane->lanes().allFrames; }

void TimelineView::showAllFrames(bool on) { m_state->showAllFrames(on); }

void TimelineView::foldAll() { m_state->foldAll(); }

void TimelineView::unfoldAll() { m_state->unfoldAll(); }

QJsonObject TimelineView::saveState() const
{
    QJsonObject state = laneStateToJson(m_pane->lanes());
    state.insert(QStringLiteral("labelWidth"), m_labelWidth);
    state.insert(QStringLiteral("deviceHeight"), m_state->viewport().deviceWish());
    state.insert(QStringLiteral("absoluteTime"), m_state->absoluteTime());
    state.insert(QStringLiteral("criticalPath"), m_state->showsCriticalPath());
    state.insert(QStringLiteral("colours"), QLatin1String(kColourModes[static_cast<size_t>(m_state->colourMode())]));
    return state;
}

void TimelineView::restoreState(const QJsonObject &state)
{
    m_pane->setLanes(laneStateFromJson(state));
    m_state->setDeviceWish(state.value(QStringLiteral("deviceHeight")).toInt());
    m_state->setAbsoluteTime(state.value(QStringLiteral("absoluteTime")).toBool());
    m_state->showCriticalPath(state.value(QStringLiteral("criticalPath")).toBool());
    const auto mode = std::ranges::find(kColourModes, toUtf8(state.value(QStringLiteral("colours")).toString()));
    m_state->setColourMode(mode == kColourModes.end() ? ColourMode::Class
                                                      : static_cast<ColourMode>(mode - kColourModes.begin()));
    if (const int width = state.value(QStringLiteral("labelWidth")).toInt(); width > 0)
        setLabelWidth(width);
}

bool TimelineView::settled() const { return m_state->jobs().idle(); }

void TimelineView::finishJobs()
{
    while (!m_state->jobs().idle())
        QCoreApplication::processEvents(QEventLoop::ExcludeUserInputEvents | QEventLoop::WaitForMoreEvents);
}

QImage TimelineView::renderImage(QSize size)
{
    TimelineView picture(m_pane);
    picture.setPalette(palette());
    picture.restoreState(saveState());
    picture.resize(size);
    picture.ensurePolished();
    QImage image(size, QImage::Format_RGB32);
    // The first pass lays out, so that the ranks in view are known; the second paints the result.
    picture.render(&image);
    picture.finishJobs();
    for (const LaneWindow &window : m_state->viewport().windows())
        picture.m_state->setScroll(window.part, window.scroll);
    picture.finishJobs();
    picture.render(&image);
    return image;
}

} // namespace riffle
