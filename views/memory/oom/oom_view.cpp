// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/oom/oom_view.h"

#include "views/common/look/palette.h"
#include "views/memory/oom/oom_page.h"

#include <QEvent>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace riffle {

OomView::OomView(MemorySession *memory, QWidget *parent)
    : MemoryView(memory, MemorySession::Snapshots | MemorySession::Place | MemorySession::Rules, parent)
    , m_page(new QTextBrowser(this))
    , m_jobs(this)
{
    m_page->setOpenLinks(false);
    m_page->setFrameShape(QFrame::NoFrame);
    m_page->document()->setDocumentMargin(14);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_page);
    setFocusProxy(m_page);
    connect(m_page, &QTextBrowser::anchorClicked, this, [this](const QUrl &link) { follow(link.toString()); });
}

QString OomView::text() const { return m_page->toPlainText(); }

void OomView::refresh(MemorySession::Changes)
{
    const auto facts = memory()->facts();
    const auto rules = memory()->rules();
    if (facts == m_shown && rules == m_shownRules && facts)
        return;
    m_shown = facts;
    m_shownRules = rules;
    m_page->clear();
    if (!facts) {
        m_jobs.cancel(QStringLiteral("page"));
        return; // a notice covers the view
    }
    m_page->setPlainText(tr("…"));
    m_jobs.run(
        QStringLiteral("page"),
        [facts, rules, name = memory()->rulesName()](std::stop_token stop) {
            return oomPage(*facts, *rules, name, Task{std::move(stop), nullptr});
        },
        [this](const QString &html) { fill(html); });
}

void OomView::fill(const QString &html)
{
    m_page->document()->setDefaultStyleSheet(
        QStringLiteral("a { color: %1; } h2 { margin-top: 14px; } h3 { margin-top: 12px; }")
            .arg(QColor::fromRgb(Palette::fitting(palette()).accent).name()));
    m_page->setHtml(html);
}

void OomView::changeEvent(QEvent *event)
{
    MemoryView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_shown) {
        m_shown = nullptr; // the page contains the colour of links, so it is built again
        markDirty(MemorySession::Snapshots);
    }
}

/// Follows a link "at:<device>:<event>".
void OomView::follow(const QString &link)
{
    const QStringList parts = link.split(QLatin1Char(':'));
    if (parts.size() != 3 || parts[0] != QLatin1String("at"))
        return;
    memory()->setPlace({memory()->place().snapshot, parts[1].toUInt()});
    memory()->setInstant(parts[2].toUInt());
}

} // namespace riffle
