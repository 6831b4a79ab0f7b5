// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Commands by name and by key, and what leads the focus to the bar.
#include "app/window/commands/command_list.h"
#include "app/window/commands/keys_dialog.h"
#include "app/window/main_window.h"
#include "app/window/preferences_dialog.h"
#include "views/common/look/qt_text.h"
#include "views/search/find_bar.h"
#include "views/summary/summary_pane.h"

#include <QApplication>
#include <QCheckBox>
#include <QKeyEvent>
#include <QMenuBar>

#include <utility>

namespace riffle {

/// Everything that the user can do by name: the actions of the menus and the settings.
std::vector<Command> MainWindow::commands()
{
    std::vector<Command> all = commandsOf(*menuBar());
    const PreferencesDialog preferences(m_settings);
    for (const PreferencesDialog::Row &row : preferences.rows()) {
        Command command;
        command.title = row.title;
        command.place = tr("Preferences");
        command.isOn = row.box && row.box->isChecked();
        command.run = [this, title = row.title] { changePreference(title); };
        all.push_back(std::move(command));
    }
    return all;
}

/// Switches a setting that is on or off; shows the others in the dialog.
void MainWindow::changePreference(const QString &title)
{
    PreferencesDialog dialog(m_settings, this);
    for (const PreferencesDialog::Row &row : dialog.rows()) {
        if (row.title != title)
            continue;
        if (row.box) {
            row.box->toggle();
            dialog.save();
            return;
        }
        row.field->setFocus();
    }
    dialog.exec();
}

void MainWindow::showKeys()
{
    KeysDialog dialog(m_keys, *menuBar(), this);
    dialog.exec();
}

void MainWindow::startSearch() { m_find->activate(FindBar::Wish::Find); }

void MainWindow::startFilter() { m_find->activate(FindBar::Wish::Filter); }

void MainWindow::startGoto() { m_find->activate(FindBar::Wish::Go); }

/// Does what a key does in the page.
void MainWindow::sendKey(Qt::Key key)
{
    QWidget *page = m_workspace->pageWidget();
    while (page->focusProxy())
        page = page->focusProxy();
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
        QKeyEvent event(type, key, Qt::NoModifier);
        QApplication::sendEvent(page, &event);
    }
}

/// Shows the row of a slice in the table of operators, kernels or copies.
void MainWindow::findInTables(SliceRef ref)
{
    const Trace *trace = m_session->traces().trace(ref.trace);
    const auto slice = trace ? trace->slice(ref.slice) : std::nullopt;
    if (!slice)
        return;
    const bool isOnDevice = slice->data.flags & slice_flag::OnStream;
    const bool isCopy = isOnDevice && trace->string(slice->data.category).starts_with("gpu_mem");
    const auto id = QString::fromLatin1(isCopy ? "more" : isOnDevice ? "kernels" : "operators");
    auto *pane = qobject_cast<SummaryPane *>(view(id));
    if (isCopy)
        pane->choose(QStringLiteral("memcpy"));
    const QString name = toQString(trace->string(slice->data.name));
    pane->table()->setFilter(QStringLiteral("\"%1\"").arg(name.section(QLatin1Char('"'), 0, 0)));
    bringForward(id);
}

} // namespace riffle
