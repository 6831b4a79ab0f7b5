// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/timeline/timeline_view.h"

#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/timeline/hover_card.h"
#include "views/timeline/lane_gestures.h"
#include "views/timeline/lane_labels.h"
#include "views/timeline/lane_state_json.h"
#include "views/timeline/lanes_canvas.h"
#include "views/timeline/minimap.h"
#include "views/timeline/minimap_legend.h"
#include "views/timeline/navigation.h"
#include "views/timeline/slice_menu.h"
#include "views/timeline/step_ribbon.h"
#include "views/timeline/time_ruler.h"
#include "views/timeline/timeline_state.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>

namespace riffle {

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
    , m_filter(new QLineEdit(this))
    , m_filterBox(new QWidget(this))
    , m_scrollBar(new QScrollBar(Qt::Vertical, this))
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
    connect(m_session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::AnyTraces | Session::Load))
            explainEmptiness();
    });
    explainEmptiness();

    connect(m_filter, &QLineEdit::textChanged, m_state, &TimelineState::setFilter);
    connect(m_filter, &QLineEdit::returnPressed, this, [this] { setFocus(); });
    m_filter->installEventFilter(this);
    connect(m_labels, &LaneLabels::widthWanted, this, &TimelineView::setLabelWidth);
    connect(m_scrollBar, &QScrollBar::valueChanged, m_state, &TimelineState::setScroll);
    connect(m_state, &TimelineState::layoutChanged, this, [this] {
        updateScrollBar();
        explainEmptiness();
        if (m_filter->text().trimmed() != toQString(m_pane->lanes().filter))
            m_filter->setText(toQString(m_pane->lanes().filter));
        emit stateChanged();
    });
    connect(m_state, &TimelineState::scrolled, this, &TimelineView::updateScrollBar);
    connect(m_state, &TimelineState::picturesChanged, this, &TimelineView::stateChanged);
    connect(m_navigation, &Navigation::tableRequested, this, &TimelineView::tableRequested);
    connect(m_gestures, &LaneGestures::hovered, this, [this](const Hit &hit, QPoint at) {
        m_card->showFor(hit, m_canvas->timeAt(at.x()), m_canvas->mapTo(this, at), m_canvas->geometry());
    });
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
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    m_scrollBar->setSingleStep(24);

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
    grid->addWidget(m_scrollBar, 3, 2);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(3, 1);
}

void TimelineView::setLabelWidth(int width)
{
    m_labelWidth = std::clamp(width, 90, 700);
    m_legend->setFixedWidth(m_labelWidth);
    m_filterBox->setFixedWidth(m_labelWidth);
    m_labels->setFixedWidth(m_labelWidth);
    emit stateChanged();
}

void TimelineView::updateScrollBar()
{
    const QSignalBlocker quiet(m_scrollBar);
    m_scrollBar->setRange(0, m_state->maximumScroll());
    m_scrollBar->setPageStep(std::max(1, m_state->viewHeight() - m_state->pinnedShown()));
    m_scrollBar->setValue(m_state->scroll());
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

void TimelineView::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        const SliceRef selected = m_session->selected();
        const Trace *trace = selected.valid() ? m_session->traces().trace(selected.trace) : nullptr;
        if (const auto slice = trace ? trace->slice(selected.slice) : std::nullopt)
            QApplication::clipboard()->setText(toQString(trace->string(slice->data.name)));
        return;
    }
    if (m_session->traces().empty() || !m_navigation->keyPress(*event))
        QWidget::keyPressEvent(event);
}

void TimelineView::keyReleaseEvent(QKeyEvent *event)
{
    if (!m_navigation->keyRelease(*event))
        QWidget::keyReleaseEvent(event);
}

void TimelineView::focusOutEvent(QFocusEvent *event)
{
    m_navigation->stop();
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

void TimelineView::foldAll() { m_state->foldAll(); }

void TimelineView::unfoldAll() { m_state->unfoldAll(); }

QJsonObject TimelineView::saveState() const
{
    QJsonObject state = laneStateToJson(m_pane->lanes());
    state.insert(QStringLiteral("labelWidth"), m_labelWidth);
    state.insert(QStringLiteral("absoluteTime"), m_state->absoluteTime());
    state.insert(QStringLiteral("criticalPath"), m_state->showsCriticalPath());
    const bool byName = m_state->colourMode() == ColourMode::Name;
    state.insert(QStringLiteral("colours"), byName ? QStringLiteral("name") : QStringLiteral("class"));
    return state;
}

void TimelineView::restoreState(const QJsonObject &state)
{
    m_pane->setLanes(laneStateFromJson(state));
    m_state->setAbsoluteTime(state.value(QStringLiteral("absoluteTime")).toBool());
    m_state->showCriticalPath(state.value(QStringLiteral("criticalPath")).toBool());
    const bool byName = state.value(QStringLiteral("colours")).toString() == QStringLiteral("name");
    m_state->setColourMode(byName ? ColourMode::Name : ColourMode::Class);
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
    picture.m_state->setScroll(m_state->scroll());
    picture.finishJobs();
    picture.render(&image);
    return image;
}

} // namespace riffle
