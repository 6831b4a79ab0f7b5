// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The widgets of a table, and the widths of its columns.
#include "views/common/table/summary_table.h"

#include "model/analysis/table/merged_table.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/common/table/table_cells.h"
#include "views/common/table/table_split.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

namespace {

constexpr size_t kFewRows = 8;
constexpr int kSampledRows = 200;  ///< rows whose cells decide the width of a column
constexpr int kWidestColumn = 460; ///< logical pixels, unless there is more room
constexpr int kLeastNameWidth = 160;

/// Examples of filters that fit the table's own columns.
QString filterHint(const ResultTable &table)
{
    QString hint = SummaryTable::tr("Filter rows: text, /expression/");
    const auto first = [&](auto fits) {
        return std::find_if(table.columns.begin(), table.columns.end(),
                            [&](const ResultColumn &column) { return !column.hidden && fits(column); });
    };
    const auto size = first(
        [](const ResultColumn &column) { return column.kind == CellKind::Time || column.kind == CellKind::Bytes; });
    if (size != table.columns.end())
        hint += size->kind == CellKind::Time ? QStringLiteral(", >10ms") : QStringLiteral(", >10MB");
    const auto count = first([](const ResultColumn &column) {
        return column.kind == CellKind::Count && !column.isId && column.key != kTracesColumn;
    });
    if (count != table.columns.end())
        hint += QStringLiteral(", ") + toQString(count->key) + QStringLiteral(">100");
    return hint;
}

} // namespace

SummaryTable::SummaryTable(Session *session, QWidget *parent)
    : QWidget(parent)
    , m_session(session)
    , m_links(session)
    , m_rows(new ResultRowModel(this))
    , m_notes(new QLabel(this))
    , m_filter(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_tools(new QHBoxLayout)
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_all(new QToolButton(this))
    , m_export(new QToolButton(this))
    , m_parts(new QSplitter(Qt::Horizontal, this))
    , m_pages(new QStackedWidget(m_parts))
    , m_empty(new EmptyNotice(m_pages))
    , m_view(new QTreeView(m_pages))
    , m_totals(new TotalsRow(m_rows, m_view->header(), m_pages))
    , m_sideways(new QScrollBar(Qt::Horizontal, m_pages))
{
    makeTools();
    makeView();
    m_notes->setWordWrap(true);
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notes->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_notes->setMaximumHeight(3 * fontMetrics().lineSpacing());
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    m_notes->setSizePolicy(policy);
    connect(m_empty, &EmptyNotice::helpWanted, this, &SummaryTable::help);
    auto *column = new QWidget(m_pages);
    auto *stacked = new QVBoxLayout(column);
    stacked->setContentsMargins(0, 0, 0, 0);
    stacked->setSpacing(0);
    stacked->addWidget(m_view, 1);
    stacked->addWidget(m_totals);
    stacked->addWidget(m_sideways);
    m_pages->addWidget(m_empty);
    m_pages->addWidget(column);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(m_tools);
    layout->addWidget(m_notes);
    m_parts->setChildrenCollapsible(false);
    layout->addWidget(m_parts, 1);
    setFocusProxy(m_view);
    showHead();
}

void SummaryTable::makeTools()
{
    m_filter->setPlaceholderText(filterHint({}));
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
    prepare(m_export, tr("Save") + QStringLiteral("\u00a0\u00a0"),
            tr("Save the rows shown; times are in whole nanoseconds"));
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
    connect(header, &QHeaderView::sectionClicked, this,
            [this](int column) { sortBy(column, QApplication::keyboardModifiers() & Qt::ShiftModifier); });
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

void SummaryTable::addBadge(QWidget *badge) { m_tools->insertWidget(0, badge); }

void SummaryTable::setSide(QWidget *side)
{
    m_parts->addWidget(side);
    new TableSplit(m_parts, this);
}

int SummaryTable::columnsWidth() const
{
    int all = m_view->verticalScrollBar()->sizeHint().width();
    for (size_t column = 0; column < m_wanted.size(); ++column)
        if (!m_view->header()->isSectionHidden(static_cast<int>(column)))
            all += std::min(m_wanted[column], kWidestColumn);
    return all;
}

bool SummaryTable::hasSide() const { return m_parts->count() > 1; }

void SummaryTable::fitColumns()
{
    QStringList keys;
    for (const ResultColumn &column : table().columns)
        keys += toQString(column.key);
    QHeaderView *header = m_view->header();
    if (keys.isEmpty())
        return;
    const int room = m_view->viewport()->width();
    const int share = room * 2 / 5; // leaves room for columns other than names
    // A few rows, such as those of an area that is still being drawn, say little about the rows that follow.
    const bool isNew = keys != m_fitted || (m_fittedRows < kFewRows && table().rows() > m_fittedRows);
    if (isNew) {
        m_fitted = keys;
        m_fittedRows = table().rows();
        m_wanted.assign(table().columns.size(), 0);
        const QFontMetrics metrics = m_view->fontMetrics();
        QFont bold = m_totals->font();
        bold.setBold(true);
        const QFontMetrics heavy(bold);
        const auto rows = std::min<uint32_t>(kSampledRows, static_cast<uint32_t>(table().rows()));
        const int widest = std::min(kWidestColumn, std::max(kLeastNameWidth, share));
        for (int column = 0; column < keys.size(); ++column) {
            int width = metrics.horizontalAdvance(toQString(table().columns[static_cast<size_t>(column)].title) +
                                                  QStringLiteral(" ↓²")) +
                        14;
            const bool isTree = column == 0 && !table().depth.empty();
            for (uint32_t row = 0; row < rows; ++row) {
                const int indent = isTree ? m_view->indentation() * static_cast<int>(table().depth[row] + 1) : 0;
                width = std::max(width, metrics.horizontalAdvance(m_rows->text(row, column)) + 14 + indent);
            }
            if (const auto total = m_rows->total(column))
                width = std::max(width, heavy.horizontalAdvance(*total) + 14);
            m_wanted[static_cast<size_t>(column)] = width;
            header->resizeSection(
                column, std::min(width, table().columns[static_cast<size_t>(column)].prose ? kWidestColumn : widest));
        }
    }
    // The column with the longest texts (in a tree, the indented column) takes up spare width and gives up missing
    // width.
    int name = -1, all = 0;
    for (int column = 0; column < keys.size(); ++column) {
        if (header->isSectionHidden(column))
            continue;
        all += header->sectionSize(column);
        const auto at = static_cast<size_t>(column);
        const bool longest = table().columns[at].kind == CellKind::Text &&
                             (name < 0 || m_wanted[at] > m_wanted[static_cast<size_t>(name)]);
        if (table().depth.empty() ? longest : name < 0)
            name = column;
    }
    if (name >= 0) {
        const auto at = static_cast<size_t>(name);
        const int least = table().columns[at].prose ? kWidestColumn : std::max(kLeastNameWidth, share);
        header->resizeSection(name, std::max(std::max(header->minimumSectionSize(), std::min(least, m_wanted[at])),
                                             room - all + header->sectionSize(name)));
    }
    if (isNew) {
        m_filter->setPlaceholderText(filterHint(table()));
        emit columnsFitted();
    }
}

} // namespace riffle
