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

// These must match the keys that views/timeline/navigation handles.
// The most useful ones come first.
constexpr Key kTimelineKeys[] = {
    {"w  s", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Zoom in and out at the cursor (faster with Shift)")},
    {"a  d", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan left and right (faster with Shift)")},
    {"f", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Zoom to the selection; press again to zoom out")},
    {"m", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Mark the selection or the time at the cursor")},
    {"0  Home", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Show the whole trace")},
    {".  ,", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Next and previous slice in the lane")},
    {"n  p", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Next and previous slice with the same name, in any lane")},
    {"]  [", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Follow flow arrows forward and back")},
    {"Shift+PgUp  Shift+PgDn", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Previous and next step, fitted")},
    {"Esc",
     QT_TRANSLATE_NOOP("riffle::KeysDialog",
                       "Clear the highlight, then the selection, the area, the newest filter; then leave the full "
                       "table and the overview")},
    {"Ctrl+wheel, pinch", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Zoom")},
    {"Shift+wheel", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan")},
    {"Drag with middle button or Space", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Pan")},
    {"Drag in the lanes", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Select an area and summarize it")},
    {"Drag in the ruler", QT_TRANSLATE_NOOP("riffle::KeysDialog", "Mark a range")},
};

QString tableRow(const QString &keys, const QString &what)
{
    return QStringLiteral("<tr><td style=\"padding-right:18px; white-space:nowrap\"><b>%1</b></td><td "
                          "style=\"white-space:nowrap\">%2</td></tr>")
        .arg(keys.toHtmlEscaped().replace(QLatin1String("  "), QLatin1String(" &nbsp;")), what.toHtmlEscaped());
}

constexpr int kUsefulKeys = 5;

} // namespace

QList<std::pair<QString, QString>> usefulKeys()
{
    QList<std::pair<QString, QString>> keys;
    for (int at = 0; at < kUsefulKeys; ++at)
        keys.emplace_back(QString::fromLatin1(kTimelineKeys[at].keys), KeysDialog::tr(kTimelineKeys[at].what));
    return keys;
}

KeysDialog::KeysDialog(const QList<QAction *> &actions, QWidget *parent) : QDialog(parent)
{
    setWindowTitle(tr("Keyboard shortcuts"));
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
