// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/command_palette.h"

#include "app/session/settings.h"
#include "views/common/look/choice_list.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace riffle {

namespace {

constexpr int kWidest = 640; ///< logical pixels
constexpr int kMostRows = 14;
constexpr int kAround = 20;  ///< logical pixels above, between and below the box and the list
constexpr int kFromTop = 40; ///< logical pixels from the top of the window

} // namespace

CommandPalette::CommandPalette(std::function<std::vector<Command>()> commands, Settings *settings, QWidget *window)
    : QFrame(window)
    , m_find(std::move(commands))
    , m_settings(settings)
    , m_text(new QLineEdit(this))
    , m_list(new ChoiceList(this))
{
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    m_text->setPlaceholderText(tr("Type the name of a command, a page, a table or a setting"));
    m_text->setAccessibleName(tr("Find a command"));
    m_text->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(6, 6, 6, 6);
    layout->setSpacing(4);
    layout->addWidget(m_text);
    layout->addWidget(m_list, 1);
    connect(m_text, &QLineEdit::textChanged, this, &CommandPalette::offer);
    connect(m_list, &ChoiceList::chosen, this, &CommandPalette::run);
    hide();
}

void CommandPalette::activate()
{
    if (isVisible()) // the same key closes it
        return close();
    m_hadFocus = QApplication::focusWidget();
    m_commands = m_find();
    m_text->clear();
    offer();
    show();
    raise();
    m_text->setFocus(Qt::PopupFocusReason);
}

/// Lists the commands that fit the text: the better ones first, then those that were run last.
void CommandPalette::offer()
{
    const QStringList recent = m_settings->recentCommands();
    struct Rank {
        bool isPossible;
        int fits;
        qsizetype recency; ///< larger for commands that were run later
        auto operator<=>(const Rank &) const = default;
    };
    std::vector<std::pair<Rank, size_t>> found;
    for (size_t at = 0; at < m_commands.size(); ++at)
        if (const auto fits = fit(m_commands[at], m_text->text())) {
            const qsizetype place = recent.indexOf(m_commands[at].path());
            found.push_back({{m_commands[at].isPossible, *fits, place < 0 ? 0 : recent.size() - place}, at});
        }
    std::ranges::stable_sort(found, std::greater(), [](const auto &one) { return one.first; });
    m_shown.clear();
    QList<Choice> choices;
    for (const auto &[rank, at] : found) {
        const Command &command = m_commands[at];
        m_shown.push_back(at);
        choices += {(command.isOn ? QStringLiteral("✓ ") : QString()) + command.title,
                    {command.place, command.keys},
                    command.isPossible};
    }
    m_list->setChoices(std::move(choices));
    const QSize room = parentWidget()->size();
    const int wide = std::min(kWidest, room.width() - 2 * kFromTop);
    const int tall = m_text->sizeHint().height() + m_list->heightFor(kMostRows) + kAround;
    setGeometry((room.width() - wide) / 2, kFromTop, wide, std::min(tall, room.height() - 2 * kFromTop));
}

void CommandPalette::run(int row)
{
    if (row < 0 || !m_list->choices()[row].isPossible)
        return;
    const Command command = m_commands[m_shown[static_cast<size_t>(row)]];
    close(); // first, because the command may move the focus or be about what has it
    m_settings->addRecentCommand(command.path());
    command.run();
}

void CommandPalette::close()
{
    hide();
    if (m_hadFocus)
        m_hadFocus->setFocus(Qt::PopupFocusReason);
}

bool CommandPalette::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_text)
        return QFrame::eventFilter(watched, event);
    if (event->type() == QEvent::FocusOut && isVisible() && !isAncestorOf(QApplication::focusWidget()))
        hide();
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const auto &key = *static_cast<QKeyEvent *>(event);
    if (key.key() == Qt::Key_Escape)
        close();
    else if (key.key() == Qt::Key_Return || key.key() == Qt::Key_Enter)
        run(m_list->current());
    else if (key.key() != Qt::Key_Tab && key.key() != Qt::Key_Backtab && !m_list->move(key))
        return false;
    return true;
}

} // namespace riffle
