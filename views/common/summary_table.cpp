// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/summary_table.h"

#include "model/analysis/table/row_filter.h"
#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/common/table_cells.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kSampledRows = 200;  ///< rows whose cells say how wide a column has to be
constexpr int kWidestColumn = 460; ///< logical pixels, unless there is room
constexpr int kLeastNameWidth = 160;
constexpr size_t kUnfoldedRows = 200; ///< trees up to this size are shown unfolded

/// Rows of different tables that mean the same: a hash of their texts and of the rows around them.
std::vector<quint64> identitiesOf(const ResultTable &table)
{
    std::vector<quint64> identities(table.rows());
    std::vector<quint64> path;
    for (size_t row = 0; row < identities.size(); ++row) {
        path.resize(std::min<size_t>(path.size(), table.depth.empty() ? 0 : table.depth[row]));
        quint64 identity = path.empty() ? 0 : path.back();
        for (const ResultColumn &column : table.columns)
            if (column.kind == CellKind::Text)
                identity = identity * 0x9e3779b97f4a7c15ull + std::hash<std::string>()(column.texts[row]);
        identities[row] = identity;
        path.push_back(identity);
    }
    return identities;
}

QString counted(size_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

} // namespace

SummaryTable::SummaryTable(Session *session, QWidget *parent)
    : QWidget(parent), m_session(session), m_links(session), m_rows(new ResultRowModel(this)), m_notes(new QLabel(this)),
      m_filter(new QLineEdit(this)), m_count(new QLabel(this)), m_tools(new QHBoxLayout), m_previous(new QToolButton(this)),
      m_next(new QToolButton(this)), m_all(new QToolButton(this)), m_export(new QToolButton(this)),
      m_pages(new QStackedWidget(this)), m_absence(new QLabel(m_pages)), m_view(new QTreeView(m_pages)),
      m_totals(new TotalsRow(m_rows, m_view->header(), m_pages)), m_sideways(new QScrollBar(Qt::Horizontal, m_pages))
{
    makeTools();
    makeView();
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notes->setMaximumHeight(3 * fontMetrics().lineSpacing() + 2);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    m_notes->setSizePolicy(policy);
    m_absence->setWordWrap(true);
    m_absence->setTextFormat(Qt::PlainText);
    m_absence->setAlignment(Qt::AlignCenter);
    m_absence->setMargin(16);
    m_absence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *column = new QWidget(m_pages);
    auto *stacked = new QVBoxLayout(column);
    stacked->setContentsMargins(0, 0, 0, 0);
    stacked->setSpacing(0);
    stacked->addWidget(m_view, 1);
    stacked->addWidget(m_totals);
    stacked->addWidget(m_sideways);
    m_pages->addWidget(m_absence);
    m_pages->addWidget(column);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(m_tools);
    layout->addWidget(m_notes);
    layout->addWidget(m_pages, 1);
    showHead();
}

void SummaryTable::makeTools()
{
    m_filter->setPlaceholderText(tr("Filter rows: text, /expression/, >10ms, calls>100"));
    m_filter->setAccessibleName(tr("Filter rows"));
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    m_count->setAccessibleName(tr("Rows shown"));
    const auto prepare = [](QToolButton *button, const QString &text, const QString &tip) {
        button->setText(text);
        button->setToolTip(tip);
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::TabFocus);
    };
    prepare(m_previous, QStringLiteral("‹"), tr("Previous instance of the row ([)"));
    m_previous->setAccessibleName(tr("Previous instance"));
    prepare(m_next, QStringLiteral("›"), tr("Next instance of the row (])"));
    m_next->setAccessibleName(tr("Next instance"));
    prepare(m_all, tr("All instances"), tr("Highlight all slices of the row in the timeline"));
    prepare(m_export, tr("Save") + QStringLiteral("\u00a0\u00a0"), tr("Save what is shown; times in whole nanoseconds"));
    m_export->setPopupMode(QToolButton::InstantPopup);
    auto *formats = new QMenu(m_export);
    formats->addAction(tr("As CSV…"), this, [this] { exportAs(QStringLiteral("csv")); });
    formats->addAction(tr("As JSON…"), this, [this] { exportAs(QStringLiteral("json")); });
    formats->addAction(tr("Copy"), this, &SummaryTable::copy);
    m_export->setMenu(formats);
    m_tools->setSpacing(4);
    m_tools->addWidget(m_filter, 1);
    for (QWidget *tool : std::initializer_list<QWidget *>{m_count, m_previous, m_next, m_all, m_export})
        m_tools->addWidget(tool);
    connect(m_filter, &QLineEdit::textChanged, this, &SummaryTable::filter);
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    connect(m_all, &QToolButton::clicked, this, &SummaryTable::highlightAll);
}

void SummaryTable::makeView()
{
    m_view->setModel(m_rows);
    m_view->setItemDelegate(new BarDelegate(m_view));
    m_view->setUniformRowHeights(true);
    m_view->setAlternatingRowColors(true);
    m_view->setAllColumnsShowFocus(true);
    m_view->setExpandsOnDoubleClick(false);
    m_view->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_view->setFrameShape(QFrame::NoFrame);
    m_view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_view->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_view->setContextMenuPolicy(Qt::CustomContextMenu);
    m_view->installEventFilter(this);
    m_view->viewport()->installEventFilter(this);
    QHeaderView *header = m_view->header();
    header->setStretchLastSection(false);
    header->setSectionsMovable(false);
    header->setSectionsClickable(true);
    header->setMinimumSectionSize(36);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    const QScrollBar *hidden = m_view->horizontalScrollBar();
    m_sideways->hide();
    connect(hidden, &QScrollBar::rangeChanged, this, [this, hidden](int least, int most) {
        m_sideways->setRange(least, most);
        m_sideways->setPageStep(hidden->pageStep());
        m_sideways->setVisible(most > least);
    });
    connect(hidden, &QScrollBar::valueChanged, this, [this](int value) {
        m_sideways->setValue(value);
        m_totals->update();
    });
    connect(m_sideways, &QScrollBar::valueChanged, hidden, &QScrollBar::setValue);
    connect(header, &QHeaderView::sectionClicked, this, [this](int column) {
        sortBy(column, QApplication::keyboardModifiers() & Qt::ShiftModifier);
    });
    connect(header, &QHeaderView::customContextMenuRequested, this, [this, header](QPoint at) {
        QMenu menu;
        fillColumnMenu(&menu);
        menu.exec(header->viewport()->mapToGlobal(at));
    });
    connect(m_view, &QTreeView::customContextMenuRequested, this, &SummaryTable::showRowMenu);
    connect(m_view, &QTreeView::activated, this, &SummaryTable::jump);
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        if (m_restoring)
            return;
        showHead();
        emit currentRowChanged();
    });
    const auto keepFold = [this](const QModelIndex &index, bool unfolded) {
        if (!m_restoring && m_filter->text().isEmpty())
            m_unfolded[m_identities[m_rows->tableRow(index)]] = unfolded;
    };
    connect(m_view, &QTreeView::expanded, this, [keepFold](const QModelIndex &index) { keepFold(index, true); });
    connect(m_view, &QTreeView::collapsed, this, [keepFold](const QModelIndex &index) { keepFold(index, false); });
}

void SummaryTable::addTool(QWidget *tool) { m_tools->addWidget(tool); }

void SummaryTable::setFilter(const QString &text) { m_filter->setText(text); }

void SummaryTable::rearrange(std::optional<uint32_t> current, const std::function<void()> &change)
{
    m_restoring = true;
    change();
    restoreFolds();
    const QModelIndex index = current ? m_rows->indexOf(*current) : QModelIndex();
    if (index.isValid())
        m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_restoring = false;
    m_totals->refresh();
    showHead();
}

void SummaryTable::setTable(ResultTable table)
{
    auto shared = std::make_shared<const ResultTable>(std::move(table));
    const auto before = currentRow();
    const quint64 identity = before ? m_identities[*before] : 0;
    m_identities = identitiesOf(*shared);
    const auto same = before ? std::find(m_identities.begin(), m_identities.end(), identity) : m_identities.end();
    const auto current = same == m_identities.end() ? std::nullopt : std::optional(static_cast<uint32_t>(same - m_identities.begin()));
    const int scrolled = m_view->verticalScrollBar()->value();
    m_links.setTable(shared);
    rearrange(current, [&] {
        m_rows->setTable(std::move(shared));
        m_rows->setOrder(wantedOrder());
    });
    for (int column = 0; column < m_rows->columnCount(); ++column)
        m_view->setColumnHidden(column, !columnShown(column));
    m_view->setRootIsDecorated(!this->table().depth.empty());
    fitColumns();
    if (!m_filter->text().isEmpty())
        filter();
    m_view->verticalScrollBar()->setValue(scrolled);
    emit currentRowChanged();
}

void SummaryTable::restoreFolds()
{
    if (table().depth.empty())
        return;
    if (!m_filter->text().isEmpty()) {
        m_view->expandAll();
        return;
    }
    const bool all = table().rows() <= kUnfoldedRows;
    const auto visit = [&](const auto &self, const QModelIndex &parent) -> void {
        for (int place = 0; place < m_rows->rowCount(parent); ++place) {
            const QModelIndex index = m_rows->index(place, 0, parent);
            if (m_rows->rowCount(index) == 0)
                continue;
            if (m_unfolded.value(m_identities[m_rows->tableRow(index)], all || !parent.isValid()))
                m_view->expand(index);
            self(self, index);
        }
    };
    visit(visit, {});
}

void SummaryTable::filter()
{
    const auto current = currentRow();
    const std::string preferred = m_rows->order().empty() ? std::string() : table().columns[static_cast<size_t>(m_rows->order().front().column)].key;
    auto passing = rowsPassing(table(), toUtf8(m_filter->text()), preferred);
    QPalette colours; // an empty one follows the theme
    if (!passing)
        colours.setColor(QPalette::Text, QColor(0xd0, 0x40, 0x30));
    m_filter->setPalette(colours);
    m_filter->setToolTip(passing ? QString() : toQString(passing.error().message));
    if (!passing) {
        m_count->setText(m_filter->toolTip());
        return;
    }
    if (m_filter->text().trimmed().isEmpty())
        passing->clear();
    rearrange(current, [&] { m_rows->setPassing(std::move(*passing)); });
    if (currentRow() != current)
        emit currentRowChanged();
}

void SummaryTable::sortBy(int column, bool further)
{
    // Numbers are asked for from the largest, texts from A; then the other way round; then as the table was made.
    const bool first = table().columns[static_cast<size_t>(column)].kind != CellKind::Text;
    std::vector<ResultRowModel::Order> order = m_rows->order();
    const auto known = std::find_if(order.begin(), order.end(), [&](const auto &by) { return by.column == column; });
    const bool alone = order.size() == 1;
    if (known == order.end() || (!further && !alone)) {
        if (!further)
            order.clear();
        order.push_back({column, first});
    } else if (known->descending == first) {
        known->descending = !first;
    } else {
        order.erase(known);
    }
    m_orderWanted.clear();
    for (const ResultRowModel::Order &by : order)
        m_orderWanted.emplace_back(toQString(table().columns[static_cast<size_t>(by.column)].key), by.descending);
    rearrange(currentRow(), [&] { m_rows->setOrder(std::move(order)); });
    emit stateChanged();
}

std::optional<uint32_t> SummaryTable::currentRow() const
{
    const QModelIndex index = m_view->currentIndex();
    return index.isValid() ? std::optional(m_rows->tableRow(index)) : std::nullopt;
}

void SummaryTable::setCurrentRow(uint32_t row)
{
    const QModelIndex index = m_rows->indexOf(row);
    if (!index.isValid())
        return;
    m_view->selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_view->scrollTo(index);
}

void SummaryTable::showRowOf(SliceRef slice)
{
    if (const auto row = m_links.rowOf(slice); row && row != currentRow())
        setCurrentRow(*row);
}

void SummaryTable::jump()
{
    if (const auto row = currentRow())
        m_links.jump(*row);
}

void SummaryTable::step(int direction)
{
    if (const auto row = currentRow())
        m_links.step(*row, direction);
}

void SummaryTable::highlightAll()
{
    if (const auto row = currentRow())
        m_links.highlight(*row);
}

void SummaryTable::showHead()
{
    const size_t rows = table().rows();
    const size_t shown = m_rows->passingCount();
    m_count->setText(shown == rows ? rows == 1 ? tr("1 row") : tr("%1 rows").arg(counted(rows))
                                   : tr("%1 of %2 rows").arg(counted(shown), counted(rows)));
    QStringList notes;
    for (const std::string &note : table().notes)
        notes += toQString(note);
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_notes->setToolTip(notes.isEmpty() ? QString() : wrappedHtml(notes.join(QLatin1Char('\n')), 100));
    m_notes->setVisible(!notes.isEmpty());
    m_absence->setText(toQString(table().absence));
    m_pages->setCurrentIndex(rows == 0 && !table().absence.empty() ? 0 : 1);
    m_count->setVisible(rows > 0);
    m_filter->setEnabled(rows > 0);
    m_export->setEnabled(rows > 0);
    const bool linked = currentRow() && m_links.known();
    for (QToolButton *button : {m_previous, m_next, m_all}) {
        button->setVisible(m_links.known());
        button->setEnabled(linked);
    }
}

void SummaryTable::fitColumns()
{
    QStringList keys;
    for (const ResultColumn &column : table().columns)
        keys += toQString(column.key);
    QHeaderView *header = m_view->header();
    if (keys.isEmpty())
        return;
    if (keys != m_fitted) {
        m_fitted = keys;
        const QFontMetrics metrics = m_view->fontMetrics();
        const auto rows = std::min<uint32_t>(kSampledRows, static_cast<uint32_t>(table().rows()));
        for (int column = 0; column < keys.size(); ++column) {
            int width = metrics.horizontalAdvance(toQString(table().columns[static_cast<size_t>(column)].title) + QStringLiteral(" ↓²")) + 14;
            for (uint32_t row = 0; row < rows; ++row)
                width = std::max(width, metrics.horizontalAdvance(m_rows->text(row, column)) + 14);
            header->resizeSection(column, std::min(width, kWidestColumn));
        }
    }
    // What is left, or missing, is the first column's.
    int first = -1, others = 0;
    for (int column = 0; column < keys.size(); ++column) {
        if (header->isSectionHidden(column))
            continue;
        if (first < 0)
            first = column;
        else
            others += header->sectionSize(column);
    }
    if (first >= 0)
        header->resizeSection(first, std::max(kLeastNameWidth, m_view->viewport()->width() - others));
}

bool SummaryTable::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_view->viewport() && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_view->viewport() || (event->type() != QEvent::KeyPress && event->type() != QEvent::ShortcutOverride))
        return QWidget::eventFilter(watched, event);
    const bool pressed = event->type() == QEvent::KeyPress;
    auto *key = static_cast<QKeyEvent *>(event);
    std::function<void()> act;
    if (watched == m_filter) {
        if (key->key() == Qt::Key_Escape && !m_filter->text().isEmpty())
            act = [this] { m_filter->clear(); };
        else if (key->key() == Qt::Key_Down || key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter || key->key() == Qt::Key_Escape)
            act = [this] { m_view->setFocus(); };
    } else if (key->matches(QKeySequence::Copy)) {
        act = [this] { copy(); };
    } else if (!(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier))) {
        switch (key->key()) {
        case Qt::Key_BracketLeft: act = [this] { step(-1); }; break;
        case Qt::Key_BracketRight: act = [this] { step(1); }; break;
        case Qt::Key_Slash: act = [this] { m_filter->setFocus(Qt::ShortcutFocusReason); }; break;
        case Qt::Key_Escape:
            if (!m_filter->text().isEmpty())
                act = [this] { m_filter->clear(); };
            break;
        default: break;
        }
    }
    if (!act)
        return QWidget::eventFilter(watched, event);
    if (pressed)
        act();
    event->accept();
    return true;
}

} // namespace riffle
