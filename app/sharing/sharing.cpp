// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/sharing.h"

#include "app/sharing/item_rows.h"
#include "app/sharing/shared_picture.h"
#include "model/analysis/table/table_markdown.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/common/table/summary_table.h"
#include "views/details/details_markdown.h"

#include <QAction>
#include <QBuffer>
#include <QClipboard>
#include <QGuiApplication>
#include <QImage>
#include <QMenu>
#include <QRegularExpression>

#include <numeric>
#include <vector>

namespace riffle {

namespace {

constexpr size_t kMostRows = 1000; ///< of a table as Markdown

/// A sentence below a table; empty if no row is left out.
QString leftOutText(size_t rows)
{
    return rows == 0
               ? QString()
               : QLatin1Char('\n') +
                     Sharing::tr("%1 more rows are left out.").arg(toQString(formatCount(static_cast<int64_t>(rows)))) +
                     QLatin1Char('\n');
}

QString escaped(const QString &text) { return toQString(markdownText(toUtf8(text))); }

QString headingText(const ShareHeading &heading)
{
    QString text = QStringLiteral("**%1**\n\n").arg(escaped(heading.title));
    if (!heading.facts.isEmpty())
        text += escaped(heading.facts.join(QStringLiteral(" · "))) + QStringLiteral("\n\n");
    return text;
}

} // namespace

Sharing::Sharing(ShareHost host, QObject *parent) : QObject(parent), m_host(std::move(host)), m_jobs(this) {}

void Sharing::addTo(QMenu *menu)
{
    const auto add = [&](const QString &text, const QKeySequence &key, const QString &tip, auto slot) {
        QAction *action = menu->addAction(text);
        action->setShortcut(key);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, slot);
    };
    add(tr("Copy p&icture"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_I),
        tr("Copy the table, chart or lanes with the focus as a picture"), &Sharing::copyPicture);
    add(tr("Save picture &as…"), {}, tr("Save the same picture as a PNG file"), &Sharing::savePicture);
    add(tr("Copy as &Markdown"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
        tr("Copy the table with the focus, or the details of the selected slice, as Markdown"), &Sharing::copyMarkdown);
}

QImage Sharing::picture()
{
    const SharedPart part = partWithFocus(m_host.page());
    return part.view ? sharedPicture(part, *m_host.session, m_host.files()) : QImage();
}

void Sharing::copyPicture()
{
    if (const QImage image = picture(); !image.isNull())
        QGuiApplication::clipboard()->setImage(image);
    else
        emit notice(NoticeBar::Level::Info, tr("There is nothing to copy yet."));
}

void Sharing::savePicture()
{
    const QImage image = picture();
    if (image.isNull())
        return;
    QByteArray png;
    QBuffer buffer(&png);
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) {
        emit notice(NoticeBar::Level::Problem, tr("The picture could not be encoded."));
        return;
    }
    const SharedPart part = partWithFocus(m_host.page());
    static const QRegularExpression others(QStringLiteral("[^\\w-]+"));
    const QString name = part.title.toLower().replace(others, QStringLiteral("-"));
    m_host.saveFile((name.isEmpty() ? QStringLiteral("picture") : name) + QStringLiteral(".png"), png);
}

void Sharing::copyMarkdown()
{
    const SharedPart part = partWithFocus(m_host.page());
    if (part.table)
        copyTable(part);
    else if (part.ofSlice)
        copySlice();
    else if (part.rows)
        copyRows(part);
    else
        emit notice(NoticeBar::Level::Info,
                    tr("Only tables and slices can be copied as Markdown. Click on one of them first."));
}

void Sharing::copyRows(const SharedPart &part)
{
    const ItemRows rows = itemRows(*part.rows, kMostRows);
    std::vector<size_t> columns(rows.table.columns.size());
    std::iota(columns.begin(), columns.end(), size_t(0));
    const QString heading = headingText(headingOf(part, *m_host.session, m_host.files(), {}));
    const QString table = rows.table.rows() == 0 ? tr("The table has no rows.") + QLatin1Char('\n')
                                                 : toQString(tableMarkdown(rows.table, allRows(rows.table), columns));
    QGuiApplication::clipboard()->setText(heading + table + leftOutText(rows.left));
}

void Sharing::copyTable(const SharedPart &part)
{
    const ResultTable &table = part.table->table();
    std::vector<uint32_t> rows = part.table->chosenRows();
    const size_t all = rows.size();
    rows.resize(std::min(all, kMostRows));
    const ShareHeading heading = headingOf(part, *m_host.session, m_host.files(), {});
    QString text = headingText(heading);
    if (all == 0)
        text +=
            escaped(toQString(table.absence.empty() ? "The table has no rows." : table.absence)) + QLatin1Char('\n');
    else
        text += toQString(tableMarkdown(table, rows, part.table->shownColumns()));
    QGuiApplication::clipboard()->setText(text + leftOutText(all - rows.size()));
}

void Sharing::copySlice()
{
    const SliceRef ref = m_host.session->selected();
    const TraceSet &traces = m_host.session->traces();
    const LoadedTrace *member = ref.valid() ? traces.find(ref.trace) : nullptr;
    if (!member) {
        emit notice(NoticeBar::Level::Info, tr("Select a slice to copy its details as Markdown."));
        return;
    }
    ShareHeading heading{m_host.files(), {}};
    if (traces.members().size() > 1)
        heading.facts += toQString(traces.title(ref.trace));
    const std::shared_ptr<const Trace> trace = member->trace;
    const DetailsFormat format{member->time.toTrace(traces.origin()), trace->info.baseTimeNs};
    m_jobs.run(
        QStringLiteral("slice"),
        [trace, ref, format](const std::stop_token &stop) {
            const auto details = detailsOf(*trace, ref.slice, {stop, nullptr});
            return details ? detailsMarkdown(*trace, *details, format) : QString();
        },
        [heading](const QString &text) {
            if (!text.isEmpty())
                QGuiApplication::clipboard()->setText(headingText(heading) + text);
        });
}

} // namespace riffle
