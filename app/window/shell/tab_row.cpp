// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/tab_row.h"

#include "app/window/shell/tab_button.h"

#include <QKeyEvent>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <algorithm>

namespace riffle {

namespace {

constexpr int kTabRowHeight = 28;
constexpr int kTabRowMargin = 8; ///< logical pixels before the first group
constexpr int kGroupGap = 16;    ///< logical pixels between groups
constexpr int kNameGap = 6;      ///< logical pixels between the name of a group and its first tab

} // namespace

TabRow::TabRow(QWidget *parent) : QWidget(parent), m_more(new QToolButton(this))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_more->setText(tr("More"));
    m_more->setAutoRaise(true);
    m_more->setFocusPolicy(Qt::TabFocus);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setAccessibleName(tr("More tables"));
    auto *menu = new QMenu(m_more);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillMenu(menu); });
    m_more->setMenu(menu);
}

void TabRow::add(const QString &id, const QString &title, const QString &group)
{
    auto *button = new TabButton(title, this);
    button->installEventFilter(this);
    connect(button, &TabButton::clicked, this, [this, id] { emit chosen(id); });
    if (!group.isEmpty() && (m_tabs.empty() || m_tabs.back().group != group)) {
        auto *name = new QLabel(group.toUpper(), this);
        QFont font = name->font();
        font.setPointSizeF(font.pointSizeF() * 0.85);
        name->setFont(font);
        name->setForegroundRole(QPalette::PlaceholderText);
        m_names.push_back(name);
    }
    m_tabs.push_back({id, group, button});
    arrange();
}

const TabRow::Tab *TabRow::find(const QString &id) const
{
    const auto found = std::ranges::find(m_tabs, id, &Tab::id);
    return found == m_tabs.end() ? nullptr : &*found;
}

void TabRow::setOffered(const QString &id, bool offered)
{
    const auto found = std::ranges::find(m_tabs, id, &Tab::id);
    if (found == m_tabs.end() || found->isOffered == offered)
        return;
    found->isOffered = offered;
    arrange();
}

bool TabRow::isOffered(const QString &id) const
{
    const Tab *tab = find(id);
    return tab && tab->isOffered;
}

void TabRow::setCurrent(const QString &id)
{
    m_current = id;
    for (const Tab &tab : m_tabs)
        tab.button->setChecked(tab.id == id);
    arrange();
}

std::vector<QString> TabRow::shown() const
{
    std::vector<QString> ids;
    for (const Tab &tab : m_tabs)
        if (!tab.button->isHidden())
            ids.push_back(tab.id);
    return ids;
}

QSize TabRow::sizeHint() const
{
    std::vector<const Tab *> offered;
    for (const Tab &tab : m_tabs)
        if (tab.isOffered)
            offered.push_back(&tab);
    return {widthOf(offered, true), kTabRowHeight};
}

QSize TabRow::minimumSizeHint() const { return {m_more->sizeHint().width() + kTabRowHeight, kTabRowHeight}; }

int TabRow::widthOf(const std::vector<const Tab *> &tabs, bool named) const
{
    int width = kTabRowMargin;
    size_t group = 0;
    const QString *last = nullptr, *lastShown = nullptr;
    for (const Tab &tab : m_tabs) { // the names are in the order of all tabs
        group += (!last || *last != tab.group) && !tab.group.isEmpty();
        last = &tab.group;
        if (std::ranges::find(tabs, &tab) == tabs.end())
            continue;
        if (!lastShown || *lastShown != tab.group) {
            width += lastShown ? kGroupGap : 0;
            width += named && !tab.group.isEmpty() ? m_names[group - 1]->sizeHint().width() + kNameGap : 0;
            lastShown = &tab.group;
        }
        width += tab.button->sizeHint().width();
    }
    return width;
}

/// Places what fits.
void TabRow::arrange()
{
    std::vector<const Tab *> shown;
    for (const Tab &tab : m_tabs)
        if (tab.isOffered)
            shown.push_back(&tab);
    const bool named = widthOf(shown, true) <= width();
    m_hidden.clear();
    const int more = m_more->sizeHint().width();
    while (!shown.empty() && widthOf(shown, named) + (m_hidden.empty() ? 0 : more) > width()) {
        const auto last =
            std::ranges::find_if(shown.rbegin(), shown.rend(), [this](const Tab *tab) { return tab->id != m_current; });
        if (last == shown.rend())
            break; // the current one alone is too wide
        m_hidden.insert(m_hidden.begin(), *last);
        shown.erase(std::next(last).base());
    }
    int x = kTabRowMargin;
    size_t group = 0;
    const QString *last = nullptr;
    const QString *lastShown = nullptr;
    for (const Tab &tab : m_tabs) {
        const bool isShown = std::ranges::find(shown, &tab) != shown.end();
        const bool isFirst = !last || *last != tab.group;
        if (isFirst && !tab.group.isEmpty())
            m_names[group++]->hide();
        if (isShown && (!lastShown || *lastShown != tab.group)) {
            x += lastShown ? kGroupGap : 0;
            if (named && !tab.group.isEmpty()) {
                QLabel *name = m_names[group - 1];
                name->setGeometry(x, 0, name->sizeHint().width(), height());
                name->show();
                x += name->width() + kNameGap;
            }
            lastShown = &tab.group;
        }
        last = &tab.group;
        tab.button->setVisible(isShown);
        if (isShown) {
            tab.button->setGeometry(x, 0, std::min(tab.button->sizeHint().width(), width() - x), height());
            x += tab.button->width();
        }
    }
    m_more->setVisible(!m_hidden.empty());
    m_more->setGeometry(x, (height() - m_more->sizeHint().height()) / 2, more, m_more->sizeHint().height());
}

void TabRow::fillMenu(QMenu *menu)
{
    menu->clear();
    for (const Tab *tab : m_hidden)
        connect(menu->addAction(tab->button->text()), &QAction::triggered, this,
                [this, id = tab->id] { emit chosen(id); });
}

void TabRow::resizeEvent(QResizeEvent *) { arrange(); }

/// Left and right go to the neighbours of the current tab.
void TabRow::keyPressEvent(QKeyEvent *event)
{
    const int by = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const std::vector<QString> ids = shown();
    const auto at = std::ranges::find(ids, m_current) - ids.begin();
    if (by == 0 || at + by < 0 || at + by >= static_cast<std::ptrdiff_t>(ids.size()))
        return QWidget::keyPressEvent(event);
    const QString &next = ids[static_cast<size_t>(at + by)];
    emit chosen(next);
    find(next)->button->setFocus(Qt::TabFocusReason);
}

bool TabRow::eventFilter(QObject *, QEvent *event)
{
    if (event->type() == QEvent::MouseButtonDblClick)
        emit doubleClicked();
    return false;
}

} // namespace riffle
