// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/allocation_pane.h"

#include "model/analysis/memory/allocation_stack.h"
#include "model/base/format.h"
#include "views/common/qt_text.h"
#include "views/common/stack_reader.h"
#include "views/memory/allocation_text.h"

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
        html += QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>").arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

} // namespace

AllocationPane::AllocationPane(MemorySession *memory, QWidget *parent)
    : MemoryView(memory, MemorySession::Place | MemorySession::Selection | MemorySession::Instant | MemorySession::Snapshots, parent)
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

/// Laying out its text takes longer than a picture of the landscape: while instants go by it waits for the last.
void AllocationPane::refresh(MemorySession::Changes changes)
{
    if (changes & (MemorySession::Snapshots | MemorySession::Place))
        describe();
    else
        m_settled.start();
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
        const AllocationStack stack = allocationStack(snapshot, device->allocations, row);
        QString html = rowsHtml(AllocationText(snapshot, *device, row).properties());
        if (!stack.isOfAllocation())
            html += QStringLiteral("<p>") + tr("Where it was allocated is not in the history. Given back at:").toHtmlEscaped() + QStringLiteral("</p>");
        m_head->setText(html);
        m_stack->setFrames(framesOf(snapshot, stack.stack));
        return;
    }
    const uint32_t event = memory()->instant();
    const MemoryLevel level = event == MemorySession::kNone ? device->atBegin : device->levelAfter(snapshot, event);
    const auto bytes = [](int64_t count) { return toQString(formatBytes(count)); };
    QList<std::pair<QString, QString>> rows{
        {tr("Instant"), event == MemorySession::kNone ? tr("before the history") : tr("after event %1").arg(toQString(formatCount(event - device->firstEvent)))}};
    if (const QString time = event == MemorySession::kNone ? QString() : eventTime(snapshot, *device, event); !time.isEmpty())
        rows.append({tr("Time"), time});
    rows.append({tr("Allocated"), bytes(level.allocated)});
    rows.append({tr("Active"), bytes(level.active)});
    rows.append({tr("Reserved"), bytes(level.reserved)});
    rows.append({tr("Peak allocated"), bytes(device->peak.allocated)});
    rows.append({tr("Peak reserved"), bytes(device->peak.reserved)});
    m_head->setText(rowsHtml(rows) + QStringLiteral("<p>") + tr("Click a band to see where it was allocated.").toHtmlEscaped() + QStringLiteral("</p>"));
}

} // namespace riffle
