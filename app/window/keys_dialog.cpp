// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/keys_dialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace riffle {

namespace {

struct Key {
    const char *keys;
    const char *what;
};

// Kept beside the timeline's own handling: views/timeline/navigation.
constexpr Key kTimelineKeys[] = {
    {"w  s", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Zoom in and out at the cursor; Shift: faster")},
    {"a  d", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan left and right; Shift: faster")},
    {"f", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Fit the selection; again: zoom out")},
    {"0  Home", QT_TRANSLATE_NOOP("riffle::KeysDialog", "The whole trace")},
    {"m", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Mark the selection or the time at the cursor")},
    {".  ,", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Next and previous slice on the lane")},
    {"n  p", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Next and previous slice of the same name, on any lane")},
    {"]  [", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Forward and back along flow arrows")},
    {"Esc", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Drop the area, the selection, the highlight, the newest filter")},
    {"Ctrl+wheel, pinch", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Zoom")},
    {"Shift+wheel", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan")},
    {"Middle or Space drag", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan")},
    {"Drag in the lanes", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Select an area and sum it up")},
    {"Drag in the ruler", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Mark a range")},
};

QString tableRow(const QString &keys, const QString &what)
{
    return QStringLiteral("<tr><td style=\"padding-right:18px; white-space:nowrap\"><b>%1</b></td><td "
                          "style=\"white-space:nowrap\">%2</td></tr>")
        .arg(keys.toHtmlEscaped().replace(QLatin1String("  "), QLatin1String(" &nbsp;")), what.toHtmlEscaped());
}

} // namespace

KeysDialog::KeysDialog(const QList<QAction *> &actions, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Keys"));
    QString html = QStringLiteral("<table><tr><td style=\"padding-right:36px\"><h3>%1</h3><table cellpadding=\"2\">")
                       .arg(tr("Timeline"));
    for (const Key &key : kTimelineKeys)
        html += tableRow(QString::fromLatin1(key.keys), tr(key.what));
    html += QStringLiteral("</table></td><td><h3>%1</h3><table cellpadding=\"2\">").arg(tr("Window"));
    for (const QAction *action : actions) {
        if (action->shortcut().isEmpty())
            continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        html += tableRow(keys.size() == 1 ? keys.toLower() : keys,
                         action->text().remove(QLatin1Char('&')).remove(QStringLiteral("…")));
    }
    html += QStringLiteral("</table></td></tr></table>");
    auto *page = new QTextBrowser(this);
    page->setHtml(html);
    page->setFrameShape(QFrame::NoFrame);
    page->setLineWrapMode(QTextEdit::NoWrap);
    const QSize wanted(static_cast<int>(page->document()->idealWidth()),
                       static_cast<int>(page->document()->size().height()));
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(page);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    resize((wanted + QSize(60, 80)).boundedTo(QSize(1200, 690)));
}

} // namespace riffle
