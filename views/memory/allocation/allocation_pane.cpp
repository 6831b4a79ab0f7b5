// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocation/allocation_pane.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/stack_reader.h"
#include "views/memory/allocation/allocation_text.h"

#include <QLabel>
#include <QTextDocument>
#include <QVBoxLayout>

namespace riffle {

namespace {

constexpr int kSettledMs = 50;

QString rowsHtml(const QList<std::pair<QString, QString>> &rows)
{
    QString html = QStringLiteral("<table cellspacing=0 cellpadding=1>");
    for (const auto &[name, value] : rows)
        html += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>")
                    .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

} // namespace

AllocationPane::AllocationPane(MemorySession *memory, QWidget *parent)
    : MemoryView(memory,
                 MemorySession::Place | MemorySession::Selection | MemorySession::Instant | MemorySession::Snapshots |
                     MemorySession::Rules,
                 parent)
    , m_head(new QLabel(this))
    , m_stack(new StackReader(this))
{
    m_head->setTextFormat(Qt::RichText);
    m_head->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_head->setWordWrap(true);
    m_head->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_head->setMinimumWidth(0);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->addWidget(m_head);
    layout->addWidget(m_stack, 1);
    m_settled.setSingleShot(true);
    m_settled.setInterval(kSettledMs);
    connect(&m_settled, &QTimer::timeout, this, &AllocationPane::describe);
    connect(m_stack, &StackReader::openRequested, this, &AllocationPane::openFileRequested);
}

QString AllocationPane::text() const
{
    QTextDocument document;
    document.setHtml(m_head->text());
    return document.toPlainText();
}

/// Laying out the text takes longer than painting the landscape, so while the instant keeps changing, only the last one
/// is described.
void AllocationPane::refresh(MemorySession::Changes changes)
{
    if (changes & MemorySession::Snapshots) { // releases what is no longer open
        m_jobs.cancel(QStringLiteral("categories"));
        m_categories.reset();
        m_categorised.reset();
        m_rules.reset();
    }
    if (changes & (MemorySession::Snapshots | MemorySession::Place | MemorySession::Rules))
        describe();
    else
        m_settled.start();
}

/// Categories belong to a whole snapshot, so they are computed outside the GUI thread once one of its allocations is
/// selected.
void AllocationPane::guess()
{
    if (m_categorised == memory()->facts() && m_rules == memory()->rules())
        return;
    m_categories.reset();
    m_categorised = memory()->facts();
    m_rules = memory()->rules();
    m_jobs.run(
        QStringLiteral("categories"),
        [facts = m_categorised, rules = m_rules](std::stop_token) {
            return std::make_shared<const MemoryCategories>(*facts, *rules);
        },
        [this](std::shared_ptr<const MemoryCategories> made) {
            m_categories = std::move(made);
            describe();
        });
}

void AllocationPane::describe()
{
    m_settled.stop();
    const DeviceReplay *device = memory()->device();
    m_stack->setVisible(device && memory()->selected() != MemorySession::kNone);
    layout()->setAlignment(m_head, m_stack->isHidden() ? Qt::AlignTop : Qt::Alignment());
    if (!device) {
        m_head->setText({});
        return;
    }
    const auto facts = memory()->facts();
    const MemorySnapshot &snapshot = facts->snapshot();
    const uint32_t row = memory()->selected();
    if (row != MemorySession::kNone) {
        guess();
        const AllocationStack stack = allocationStack(snapshot, device->allocations, row);
        auto rows = AllocationText(snapshot, *device, row).properties();
        if (m_categories)
            if (const QString guess = categoryText(*m_categories, memory()->place().device, row, memory()->rulesFile());
                !guess.isEmpty())
                rows.append({tr("Category"), guess});
        QString html = rowsHtml(rows);
        if (!stack.isOfAllocation())
            html += QStringLiteral("<p>") +
                    tr("Where it was allocated is not in the history. Freed at:").toHtmlEscaped() +
                    QStringLiteral("</p>");
        m_head->setText(html);
        m_stack->setFrames(framesOf(snapshot, stack.stack));
        return;
    }
    const uint32_t event = memory()->instant();
    const MemoryLevel level = event == MemorySession::kNone ? device->atBegin : device->levelAfter(snapshot, event);
    QList<std::pair<QString, QString>> rows{
        {tr("Instant"), event == MemorySession::kNone
                            ? tr("before the history")
                            : tr("after event %1").arg(toQString(formatCount(event - device->firstEvent)))}};
    if (const QString time = event == MemorySession::kNone ? QString() : eventTime(snapshot, *device, event);
        !time.isEmpty())
        rows.append({tr("Time"), time});
    rows.append({tr("Allocated"), bytesText(level.allocated)});
    rows.append({tr("Active"), bytesText(level.active)});
    rows.append({tr("Reserved"), bytesText(level.reserved)});
    rows.append({tr("Peak allocated"), bytesText(device->peak.allocated)});
    rows.append({tr("Peak reserved"), bytesText(device->peak.reserved)});
    m_head->setText(rowsHtml(rows) + QStringLiteral("<p>") +
                    tr("Click a band to see where it was allocated.").toHtmlEscaped() + QStringLiteral("</p>"));
}

} // namespace riffle
