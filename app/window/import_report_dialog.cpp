// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/import_report_dialog.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QDialogButtonBox>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace riffle {

namespace {

QString severityText(Severity severity)
{
    switch (severity) {
    case Severity::Note: return ImportReportDialog::tr("note");
    case Severity::Repaired: return ImportReportDialog::tr("repaired");
    case Severity::Lost: return ImportReportDialog::tr("lost");
    }
    return {};
}

QString count(uint64_t number) { return toQString(formatCount(static_cast<int64_t>(number))); }

void addTrace(QTreeWidget *list, const Trace &trace, bool named)
{
    for (const Severity severity : {Severity::Lost, Severity::Repaired, Severity::Note}) {
        for (size_t kind = 0; kind < static_cast<size_t>(Trouble::Count); ++kind) {
            const auto trouble = static_cast<Trouble>(kind);
            const TroubleCount &found = trace.report.of(trouble);
            if (found.count == 0 || ImportReport::severity(trouble) != severity)
                continue;
            auto *item = new QTreeWidgetItem(list);
            item->setText(0, QString::fromUtf8(ImportReport::sentence(trouble)));
            if (named)
                item->setText(0,
                              QFileInfo(toQString(trace.info.path)).fileName() + QStringLiteral(": ") + item->text(0));
            item->setText(1, severityText(severity));
            item->setText(2, count(found.count));
            item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
            for (const TroubleExample &example : found.examples) {
                auto *child = new QTreeWidgetItem(item);
                child->setText(0, ImportReportDialog::tr("at byte %1: %2")
                                      .arg(count(example.offset), singleLine(toQString(example.text).simplified())));
                child->setData(0, Qt::UserRole, toQString(example.text));
            }
        }
    }
}

} // namespace

ImportReportDialog::ImportReportDialog(const TraceSet &traces, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Import report"));
    auto *list = new QTreeWidget(this);
    list->setHeaderLabels({tr("Problem"), tr("Severity"), tr("Count")});
    list->setUniformRowHeights(true);
    list->header()->setStretchLastSection(false);
    list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    for (const LoadedTrace &member : traces.loaded())
        addTrace(list, *member.trace, traces.size() > 1);
    if (QTreeWidgetItem *worst = list->topLevelItem(0))
        worst->setExpanded(true);
    list->headerItem()->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    auto *text = new QPlainTextEdit(this);
    text->setReadOnly(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text->setPlaceholderText(tr("Choose an example to see the event's text."));
    auto *splitter = new QSplitter(Qt::Vertical, this);
    splitter->addWidget(list);
    splitter->addWidget(text);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 1);
    auto *none = new QLabel(tr("No problems: every event was read as written."), this);
    none->setVisible(list->topLevelItemCount() == 0);
    splitter->setVisible(list->topLevelItemCount() > 0);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(none);
    layout->addWidget(splitter, 1);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(list, &QTreeWidget::currentItemChanged, this, [text](const QTreeWidgetItem *item) {
        text->setPlainText(item ? item->data(0, Qt::UserRole).toString() : QString());
    });
    resize(760, list->topLevelItemCount() ? 480 : 140);
}

QString importSummary(const TraceSet &traces)
{
    uint64_t lost = 0;
    uint64_t repaired = 0;
    QStringList files; // the names of files with losses or repairs
    for (const LoadedTrace &member : traces.loaded()) {
        const ImportReport &report = member.trace->report;
        lost += report.total(Severity::Lost);
        repaired += report.total(Severity::Repaired);
        if (report.total(Severity::Lost) + report.total(Severity::Repaired) > 0)
            files += QFileInfo(toQString(member.trace->info.path)).fileName();
    }
    QString where; // "rank1.json: "; empty for a single trace
    if (traces.size() > 1)
        where = files.size() == 1 ? files.front() + QStringLiteral(": ")
                                  : ImportReportDialog::tr("%1 of %2 files: ").arg(files.size()).arg(traces.size());
    if (lost > 0 && repaired > 0)
        return where + (repaired == 1 ? ImportReportDialog::tr("Some events were lost (%1); %2 was repaired.")
                                      : ImportReportDialog::tr("Some events were lost (%1); %2 were repaired."))
                           .arg(count(lost), count(repaired));
    if (lost > 0)
        return where + ImportReportDialog::tr("Some events were lost (%1).").arg(count(lost));
    if (repaired > 0)
        return where + ImportReportDialog::tr("Some events were repaired (%1).").arg(count(repaired));
    return {};
}

} // namespace riffle
