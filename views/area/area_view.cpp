// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/area/area_view.h"

#include "model/base/format.h"
#include "views/area/area_row_model.h"
#include "views/common/qt_text.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>

namespace riffle {

AreaView::AreaView(Session *session, QWidget *parent)
    : View(session, Session::Traces | Session::Area, parent)
    , m_rows(new AreaRowModel(this))
    , m_head(new QLabel(this))
    , m_visible(new QToolButton(this))
    , m_export(new QToolButton(this))
    , m_table(new QTreeView(this))
    , m_jobs(this)
{
    m_head->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_head->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_visible->setText(tr("Sum up what is visible"));
    m_export->setText(tr("Save as CSV…"));
    m_table->setModel(m_rows);
    m_table->setRootIsDecorated(false);
    m_table->setUniformRowHeights(true);
    m_table->setAlternatingRowColors(true);
    m_table->setAllColumnsShowFocus(true);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->installEventFilter(this);
    QHeaderView *header = m_table->header();
    header->setStretchLastSection(false);
    header->setMinimumSectionSize(44);
    const auto width = [this](const QString &widest) { return fontMetrics().horizontalAdvance(widest) + 24; };
    for (int column = 0; column < AreaRowModel::ColumnCount; ++column)
        header->resizeSection(column, width(QStringLiteral("888.8 ms")));
    header->resizeSection(AreaRowModel::Count, width(QStringLiteral("88,888")));
    header->resizeSection(AreaRowModel::Category, width(QStringLiteral("python_function")));
    header->setSectionResizeMode(AreaRowModel::Name, QHeaderView::Stretch);
    m_table->sortByColumn(AreaRowModel::Sum, Qt::DescendingOrder);
    m_table->setSortingEnabled(true);

    auto *bar = new QHBoxLayout;
    bar->addWidget(m_head, 1);
    bar->addWidget(m_visible);
    bar->addWidget(m_export);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 4, 6, 4);
    layout->addLayout(bar);
    layout->addWidget(m_table, 1);

    connect(m_visible, &QToolButton::clicked, this, [this] {
        if (!this->session()->traces().empty())
            this->session()->setArea(AreaSelection{this->session()->visibleRange().clipped(this->session()->traces().span()), {}});
    });
    connect(m_export, &QToolButton::clicked, this, [this] { emit exportRequested(tr("area.csv"), m_rows->csv()); });
    connect(m_table, &QTreeView::activated, this, &AreaView::activate);
    showHead();
}

void AreaView::refresh(Session::Changes)
{
    const std::optional<AreaSelection> area = session()->area();
    if (!area || session()->traces().empty()) {
        m_jobs.cancel(QStringLiteral("area"));
        m_rows->setSummary({});
        showHead();
        return;
    }
    m_jobs.run(
        QStringLiteral("area"),
        [traces = session()->traces(), area](std::stop_token stop) {
            return summarizeArea(traces, area->span, area->lanes, {std::move(stop), nullptr});
        },
        [this](AreaSummary summary) {
            m_rows->setSummary(std::move(summary));
            showHead();
        });
}

void AreaView::showHead()
{
    const AreaSummary &summary = m_rows->summary();
    const bool any = session()->area().has_value() && !session()->traces().empty();
    m_export->setEnabled(!summary.rows.empty());
    if (!any) {
        m_head->setText(tr("Drag over the lanes to sum up an area by name."));
        return;
    }
    const auto counted = [](uint64_t count) { return toQString(formatCount(static_cast<int64_t>(count))); };
    const QString lanes = summary.lanes == 1 ? tr("1 lane") : tr("%1 lanes").arg(counted(summary.lanes));
    const QString slices = summary.count == 1 ? tr("1 slice") : tr("%1 slices").arg(counted(summary.count));
    const QString names = summary.rows.size() == 1 ? tr("1 name") : tr("%1 names").arg(counted(summary.rows.size()));
    m_head->setText(tr("%1 from %2 · %3 · %4 · %5")
                        .arg(toQString(formatDuration(summary.span.duration())),
                             toQString(formatDuration(summary.span.begin - session()->traces().origin())), lanes, slices, names));
}

void AreaView::activate(const QModelIndex &index)
{
    if (index.isValid())
        session()->reveal(m_rows->row(index.row()).longest);
}

QString AreaView::tableText() const
{
    std::vector<int> rows;
    for (const QModelIndex &index : m_table->selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::sort(rows.begin(), rows.end());
    if (rows.empty()) {
        for (int row = 0; row < m_rows->rowCount(); ++row)
            rows.push_back(row);
    }
    QStringList lines;
    QStringList cells;
    for (int column = 0; column < AreaRowModel::ColumnCount; ++column)
        cells += m_rows->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    lines += cells.join(QLatin1Char('\t'));
    for (const int row : rows) {
        cells.clear();
        for (int column = 0; column < AreaRowModel::ColumnCount; ++column)
            cells += m_rows->index(row, column).data().toString();
        lines += cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

void AreaView::copy() const
{
    QApplication::clipboard()->setText(tableText());
}

bool AreaView::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        if (static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy)) {
            if (event->type() == QEvent::KeyPress)
                copy();
            event->accept();
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

} // namespace riffle
