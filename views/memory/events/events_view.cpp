// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/events/events_view.h"

#include "model/analysis/memory/events/memory_event_rows.h"
#include "model/analysis/table/table_text.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/memory/events/event_row_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <numeric>
#include <utility>
#include <vector>

namespace riffle {

namespace {
constexpr int kTypingMs = 180;
constexpr int kWidths[] = {80, 90, 110, 130, 90, 80, 80, 70, 300};
} // namespace

EventsView::EventsView(MemorySession *memory, QWidget *parent)
    : MemoryView(memory,
                 MemorySession::Snapshots | MemorySession::Place | MemorySession::Instant | MemorySession::Selection,
                 parent)
    , m_rows(new EventRowModel(this))
    , m_table(new QTableView(this))
    , m_filter(new QLineEdit(this))
    , m_said(new QLabel(this))
    , m_export(new QToolButton(this))
    , m_none(new EmptyNotice(m_table))
    , m_jobs(this)
{
    m_export->setText(tr("Save") + QStringLiteral("\u00a0\u00a0"));
    m_export->setToolTip(tr("Save the events shown; times are in whole nanoseconds"));
    m_export->setAutoRaise(true);
    m_export->setFocusPolicy(Qt::TabFocus);
    m_export->setPopupMode(QToolButton::InstantPopup);
    auto *formats = new QMenu(m_export);
    formats->addAction(tr("As CSV…"), this, [this] { exportAs(QStringLiteral("csv")); });
    formats->addAction(tr("As JSON…"), this, [this] { exportAs(QStringLiteral("json")); });
    m_export->setMenu(formats);
    m_filter->setPlaceholderText(tr("Filter: alloc, free, segment, >10MB, 0x7f…, stream:0, #12-#400, text of a frame"));
    m_filter->setToolTip(
        tr("Words that must all match: an action, a size such as >10MB or <=4KiB, a hexadecimal address, a stream, a "
           "range of events, or text in the function, file, metadata or category (in quotes if it contains spaces)"));
    m_filter->setClearButtonEnabled(true);
    m_table->setModel(m_rows);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerItem);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setHighlightSections(false);
    for (int column = 0; column < EventRowModel::FieldCount; ++column)
        m_table->setColumnWidth(column, kWidths[column]);
    m_table->installEventFilter(this);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 4, 6, 4);
    bar->addWidget(m_filter, 1);
    bar->addSpacing(8);
    bar->addWidget(m_said);
    bar->addWidget(m_export);
    bar->addSpacing(4);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);
    setFocusProxy(m_table);
    m_none->coverParent();
    connect(m_none, &EmptyNotice::helpWanted, m_filter, &QLineEdit::clear);
    m_typed.setSingleShot(true);
    m_typed.setInterval(kTypingMs);
    connect(&m_typed, &QTimer::timeout, this, &EventsView::filter);
    connect(m_filter, &QLineEdit::textChanged, &m_typed, qOverload<>(&QTimer::start));
    connect(m_filter, &QLineEdit::returnPressed, m_table, qOverload<>(&QWidget::setFocus));
    connect(m_table, &QTableView::doubleClicked, this, &EventsView::jump);
}

QString EventsView::said() const { return m_said->text(); }

void EventsView::exportAs(const QString &format)
{
    if (!m_rows->facts())
        return;
    m_jobs.run(
        QStringLiteral("export"),
        [facts = m_rows->facts(), device = m_rows->deviceRow(), events = m_rows->events(),
         isJson = format == QLatin1String("json")](std::stop_token) {
            const ResultTable table = memoryEventRows(*facts, device, {events.data(), events.size()});
            std::vector<uint32_t> rows(table.rows());
            std::iota(rows.begin(), rows.end(), 0u);
            return toQString(isJson ? tableJson(table, rows) : tableCsv(table, rows));
        },
        [this, format](const QString &text) { emit exportRequested(QStringLiteral("memory_events.") + format, text); });
}

void EventsView::refresh(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place)) {
        filter();
        return;
    }
    const DeviceReplay *device = memory()->device();
    if (!device || m_facts != memory()->facts() || m_device != memory()->place().device)
        return; // the pending answer scrolls there
    const uint32_t row = memory()->selected();
    const uint32_t begin = row == MemorySession::kNone ? row : device->allocations.begin[row],
                   end = row == MemorySession::kNone ? row : device->allocations.end[row];
    if (changes & MemorySession::Selection && (begin != MemorySession::kNone || end != MemorySession::kNone)) {
        // Goes to the event at the instant if it belongs to the allocation, otherwise to the allocation's first known
        // event.
        const uint32_t event = memory()->instant();
        const bool there = event != MemorySession::kNone && m_allocations && m_allocations->of(event) == row;
        scrollTo(there ? event : begin != MemorySession::kNone ? begin : end);
    } else if (changes & MemorySession::Instant) {
        scrollTo(memory()->instant());
    }
}

void EventsView::scrollTo(uint32_t event)
{
    const int row = event == MemorySession::kNone ? -1 : m_rows->rowAt(event);
    if (row < 0 || m_table->currentIndex().row() == row)
        return;
    m_table->setCurrentIndex(m_rows->index(row, 0));
    m_table->scrollTo(m_rows->index(row, 0), QAbstractItemView::PositionAtCenter);
}

void EventsView::filter()
{
    m_typed.stop();
    const auto facts = memory()->facts();
    const size_t device = memory()->place().device;
    if (!memory()->device()) {
        m_jobs.cancel(QStringLiteral("events"));
        take(nullptr, 0, {});
        return;
    }
    Result<MemoryEventFilter> wanted = parseMemoryEventFilter(toUtf8(m_filter->text()));
    if (!wanted) {
        m_said->setText(toQString(wanted.error().message));
        return; // the previous rows stay
    }
    const auto known = facts == m_facts && device == m_device ? m_allocations : nullptr;
    m_jobs.run(
        QStringLiteral("events"),
        [facts, device, known, wanted = std::move(*wanted)](std::stop_token stop) {
            const DeviceReplay &replay = facts->replay().devices[device];
            Answer answer{matchingEvents(facts->snapshot(), replay, wanted, Task{std::move(stop), nullptr}), known};
            if (!known)
                answer.allocations = std::make_shared<const EventAllocations>(replay);
            const auto &times = facts->snapshot().events.time;
            for (uint32_t event = replay.firstEvent;
                 event < replay.firstEvent + replay.events && event < times.size() && !answer.anyTime; ++event)
                answer.anyTime = times[event] != MemoryEventTable::kNoTime;
            return answer;
        },
        [this, facts, device](Answer answer) { take(facts, device, std::move(answer)); });
}

void EventsView::take(const std::shared_ptr<const SnapshotFacts> &facts, size_t device, Answer answer)
{
    m_facts = facts;
    m_device = device;
    m_allocations = std::move(answer.allocations);
    m_rows->setEvents(facts, device, std::move(answer.events));
    m_table->setColumnHidden(EventRowModel::Time, !answer.anyTime); // the column would be empty
    m_table->setColumnHidden(EventRowModel::Pool, !facts || facts->snapshot().events.pool.empty());
    const int64_t all = facts ? facts->replay().devices[device].events : 0;
    const int64_t shown = m_rows->rowCount();
    explainEmptiness();
    if (!facts) {
        m_said->clear();
        return;
    }
    m_said->setText(shown == all
                        ? toQString(formatCounted(all, "event", "events"))
                        : tr("%1 of %2 events").arg(toQString(formatCount(shown)), toQString(formatCount(all))));
    scrollTo(memory()->instant());
}

void EventsView::explainEmptiness()
{
    EmptyState state = m_facts && m_rows->rowCount() == 0 ? memory()->historyState() : EmptyState();
    const int64_t all = m_facts ? m_facts->replay().devices[m_device].events : 0;
    if (m_rows->rowCount() == 0 && all > 0) {
        EmptyFacts known;
        known.rowFilter = toUtf8(m_filter->text().trimmed());
        known.rowsUnfiltered = static_cast<size_t>(all);
        known.row = "event";
        known.rows = "events";
        state = emptyState(known);
    }
    m_none->say(state);
}

void EventsView::jump()
{
    const QModelIndex index = m_table->currentIndex();
    if (!index.isValid() || m_facts != memory()->facts() || m_device != memory()->place().device)
        return;
    const uint32_t event = m_rows->event(index.row());
    memory()->setInstant(event);
    if (m_allocations)
        memory()->select(m_allocations->of(event));
}

bool EventsView::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_table && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            jump();
            return true;
        }
        if (key == Qt::Key_Slash) {
            m_filter->setFocus();
            m_filter->selectAll();
            return true;
        }
    }
    return MemoryView::eventFilter(watched, event);
}

} // namespace riffle
