// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/commands/command_list.h"

#include <QFrame>
#include <QPointer>

class QLineEdit;

namespace riffle {

class ChoiceList;
class Settings;

/// A text box over the window that finds every command by name. Words may be typed in any order and in part; commands
/// that were run last come first. Enter runs a command, and Esc gives the focus back.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    /// `commands` is asked each time that the palette opens.
    CommandPalette(std::function<std::vector<Command>()> commands, Settings *settings, QWidget *window);

    void activate();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void offer();
    void run(int row);
    void close();

    std::function<std::vector<Command>()> m_find;
    Settings *m_settings;
    QLineEdit *m_text;
    ChoiceList *m_list;
    std::vector<Command> m_commands;
    std::vector<size_t> m_shown;  ///< the commands in the list, by index
    QPointer<QWidget> m_hadFocus; ///< before the palette opened
};

} // namespace riffle
