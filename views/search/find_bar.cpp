// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/search/find_bar.h"

#include "model/analysis/summary/summary.h"
#include "model/base/format.h"
#include "views/common/look/qt_text.h"
#include "views/search/search_words.h"

#include <QAction>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

const auto kKey = QStringLiteral("find");
constexpr auto kOthers = Session::Traces | Session::Members | Session::Clock; ///< changes that make an answer void
constexpr int kMostShown = 14;
constexpr int kLeastWidth = 200; ///< logical pixels of the box
constexpr int kListWidth = 640;

QString countText(uint64_t count) { return toQString(formatCount(static_cast<int64_t>(count))); }

QString nothingFound(const Session &session)
{
    const EmptyFacts known = session.emptyFacts();
    if (!known.open || !known.hasEvents)
        return toQString(emptyState(known).text);
    return known.part ? FindBar::tr("nothing found in the part that was read") : FindBar::tr("nothing found");
}

} // namespace

FindBar::FindBar(Session *session, QWidget *parent)
    : View(session, Session::Answers | Session::Selection | Session::Load | Session::Highlight, parent)
    , m_text(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_jobs(this)
{
    m_text->setPlaceholderText(tr("Find, filter or go to…"));
    m_text->setAccessibleName(tr("Find, filter or go to"));
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(kLeastWidth);
    m_text->installEventFilter(this);
    m_count->setTextFormat(Qt::PlainText);
    m_count->hide();
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_count);
    connect(m_text, &QLineEdit::textChanged, this, [this] {
        m_wish = m_text->text().isEmpty() ? Wish::Find : m_wish;
        ask();
        if (m_text->hasFocus())
            showList();
    });
    connect(&m_jobs, &Jobs::becameIdle, this, &FindBar::settledChanged);
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & kOthers) { // at once, because the hits keep the traces alive
            m_jobs.cancel(kKey);
            m_answer = {};
            m_isOutdated = true;
            offer();
        }
        if (changes & Session::Highlight && !(changes & kOthers) && m_isEmphasised &&
            this->session()->highlight() != m_answer.hits.names()) {
            m_isEmphasised = m_isWanted = false; // something else is emphasised, or the user has dropped it
            emit ticksChanged({});
        }
    });
    offer();
}

void FindBar::activate(Wish wish)
{
    if (!isVisible())
        return;
    m_wish = wish;
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
    if (!m_isEmphasised && !m_text->text().isEmpty())
        ask();
    offer();
    showList();
}

void FindBar::refresh(Session::Changes changes)
{
    const bool hasGrown = changes & Session::Renewed && !(changes & kOthers);
    if (hasGrown && m_list && m_list->isVisible())
        m_isOutdated = true; // the user may be about to choose a row
    else if (changes & Session::Answers && m_isWanted)
        return ask(hasGrown ? Reason::Growth : Reason::Question);
    if (changes & Session::Answers)
        m_answered = hasGrown ? m_answered : QString();
    showCount();
}

/// Asks what the text means and what it finds. Until the answer is there, the list offers what needs none.
void FindBar::ask(Reason reason)
{
    if (reason == Reason::Growth && (m_jobs.running(kKey) || m_text->text().trimmed().isEmpty()))
        return; // it is about to be answered, or nothing is asked
    if (reason == Reason::Question) {
        m_then = Then::Nothing;
        m_answer = {};
    }
    m_isOutdated = false;
    m_isWanted = true;
    const QString text = m_text->text().trimmed();
    if (text.isEmpty() || session()->traces().empty()) {
        m_jobs.cancel(kKey);
        take({});
        return;
    }
    m_jobs.run(
        kKey,
        session()->inTurn(
            [facts = session()->facts(), text, whole = session()->pane()->wholeRange()](const std::stop_token &stop) {
                return findAnswer(facts->set(), text, whole, {stop, nullptr});
            }),
        [this, reason](FindAnswer answer) { take(std::move(answer), reason); },
        [this](const QString &why) {
            FindAnswer answer;
            answer.trouble = why;
            take(std::move(answer));
        });
    if (reason == Reason::Growth)
        return;
    offer();
    showCount();
}

void FindBar::take(FindAnswer answer, Reason reason)
{
    if (reason == Reason::Growth && m_list && m_list->isVisible()) {
        m_isOutdated = true;
        return;
    }
    m_answer = std::move(answer);
    m_answered = m_text->text();
    const bool isElsewhere = reason == Reason::Growth && !m_isEmphasised && !session()->highlight().empty();
    if (isElsewhere) {
        showCount();
        return; // the user has emphasised something else
    }
    m_isEmphasised = m_answer.hits.count() > 0;
    session()->setHighlight(m_isEmphasised ? m_answer.hits.names() : PerTrace<std::vector<uint32_t>>());
    emit ticksChanged(m_answer.ticks);
    offer();
    showCount();
    switch (std::exchange(m_then, Then::Nothing)) {
    case Then::Nothing: break;
    case Then::Choose: choose(wishedRow()); break;
    case Then::Next: step(true); break;
    case Then::Previous: step(false); break;
    }
}

/// Fills the list.
void FindBar::offer()
{
    const QString text = m_text->text().trimmed(), shown = singleLine(text, 60);
    m_rows.clear();
    m_choices.clear();
    const auto add = [this](Row row, const Choice &choice) {
        m_rows.push_back(row);
        m_choices += choice;
    };
    if (!text.isEmpty()) {
        const SearchQuery query = searchQueryOf(text);
        if (!query.text.empty()) {
            const QString found = m_jobs.running(kKey)         ? tr("searching…")
                                  : m_answer.trouble.isEmpty() ? countText(m_answer.hits.count())
                                                               : m_answer.trouble;
            add({Row::Kind::Find}, {tr("Find “%1” (%2)").arg(shown, found), {}, m_answer.trouble.isEmpty()});
        }
        if (canFilter(query))
            add({Row::Kind::Filter}, {tr("Show only “%1”").arg(shown), {}, m_answer.trouble.isEmpty()});
        for (size_t at = 0; at < m_answer.destinations.size(); ++at)
            add({Row::Kind::Go, at}, {tr("Go to “%1”").arg(m_answer.destinations[at].title), {}});
        for (size_t at = 0; at < m_answer.first.size(); ++at)
            add({Row::Kind::Hit, at}, m_answer.firstRows[static_cast<qsizetype>(at)]);
    }
    size_t at = 0;
    for (const SearchHint &hint : searchHints(text))
        add({Row::Kind::Hint, at++}, {hint.text, {hint.what}});
    if (m_list) {
        m_list->setChoices(m_choices);
        m_list->setCurrent(wishedRow());
        if (m_list->isVisible())
            showList(); // its height may differ
    }
}

/// The row that Enter chooses unless the user moves to another one. Where nothing is found, that is the place that the
/// text names, if it names one.
int FindBar::wishedRow() const
{
    const auto rowOf = [this](Row::Kind kind) {
        const auto found = std::ranges::find(m_rows, kind, &Row::kind);
        return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
    };
    const int place = rowOf(Row::Kind::Go), only = rowOf(Row::Kind::Filter);
    const bool isPlace = m_wish == Wish::Go || (m_wish == Wish::Find && m_answer.hits.count() == 0);
    if (isPlace && place >= 0)
        return place;
    if (m_wish == Wish::Filter && only >= 0)
        return only;
    // A hint is only typed if the user moves to it.
    return m_rows.empty() || m_rows[0].kind == Row::Kind::Hint ? -1 : 0;
}

void FindBar::showList()
{
    if (m_choices.isEmpty())
        return hideList();
    if (!m_list) {
        m_list = new ChoiceList(window());
        m_list->setFrameShape(QFrame::StyledPanel);
        m_list->setAccessibleName(tr("What the text finds"));
        m_list->setChoices(m_choices);
        m_list->setCurrent(wishedRow());
        connect(m_list, &ChoiceList::chosen, this, &FindBar::choose);
    }
    const QPoint below = m_text->mapTo(window(), QPoint(0, m_text->height() + 2));
    const int wide = std::min(std::max(m_text->width(), kListWidth), window()->width() - 16);
    const int left = std::min(below.x(), window()->width() - wide - 8);
    m_list->setGeometry(left, below.y(), wide, m_list->heightFor(kMostShown) + 2 * m_list->frameWidth());
    m_list->show();
    m_list->raise();
}

void FindBar::hideList()
{
    if (m_list)
        m_list->hide();
}

void FindBar::choose(int index)
{
    if (index < 0 || index >= static_cast<int>(m_rows.size()) || !m_choices[index].isPossible)
        return;
    const Row row = m_rows[static_cast<size_t>(index)];
    if (row.kind == Row::Kind::Hint) {
        m_text->setText(m_choices[index].title);
        return;
    }
    hideList();
    switch (row.kind) {
    case Row::Kind::Find: step(true); break; // the focus stays, so that Enter goes on
    case Row::Kind::Filter: filter(); break;
    case Row::Kind::Go: go(m_answer.destinations[row.at]); break;
    case Row::Kind::Hit:
        session()->pane()->reveal(m_answer.first[row.at]);
        emit left();
        break;
    case Row::Kind::Hint: break;
    }
}

void FindBar::filter()
{
    Filters filters = session()->filters();
    filters.text = toUtf8(m_text->text().trimmed());
    m_text->clear(); // a chip shows it from now on
    session()->setFilters(std::move(filters));
    emit left();
}

void FindBar::go(Destination to)
{
    const Destination place = std::move(to);
    m_text->clear();
    Pane *pane = session()->pane();
    if (place.slice.valid()) {
        pane->reveal(place.slice);
    } else if (place.lane) {
        emit laneRequested(*place.lane);
    } else if (place.span->empty()) {
        const Ns length = pane->visibleRange().duration();
        pane->goTo({place.span->begin - length / 2, place.span->begin - length / 2 + length});
    } else {
        const Ns margin = place.span->duration() / 20;
        pane->goTo({place.span->begin - margin, place.span->end + margin});
    }
    emit left();
}

void FindBar::next() { step(true); }

void FindBar::previous() { step(false); }

void FindBar::step(bool forwards)
{
    if (m_isOutdated || (!m_isEmphasised && m_answered == m_text->text() && m_answer.hits.count() > 0))
        ask();
    if (m_jobs.running(kKey)) {
        m_then = forwards ? Then::Next : Then::Previous;
        return;
    }
    const SearchHits &hits = m_answer.hits;
    if (hits.count() == 0)
        return;
    const SliceRef from = session()->selected();
    const SliceRef to = !from.valid() && forwards ? hits.atOrAfter(session()->pane()->visibleRange().begin)
                        : forwards                ? hits.next(from)
                                                  : hits.previous(from);
    const bool hadFocus = m_text->hasFocus();
    session()->pane()->reveal(to);
    if (hadFocus) // which the window gives to the lanes
        m_text->setFocus();
}

void FindBar::showCount()
{
    const bool any = m_answer.hits.count() > 0;
    const bool isBusy = m_jobs.running(kKey) && m_answered != m_text->text();
    const bool isSearch = !searchQueryOf(m_text->text()).text.empty() && m_answered == m_text->text();
    QPalette colours; // an empty palette follows the theme
    if (!m_answer.trouble.isEmpty() || (isSearch && !any && !isBusy && m_answer.destinations.empty()))
        colours.setColor(QPalette::Text, QColor(0xd0, 0x40, 0x30));
    m_text->setPalette(colours);
    m_text->setToolTip(m_answer.trouble);
    const SliceRef at = session()->selected();
    if (isBusy)
        m_count->setText(tr("searching…"));
    else if (!m_answer.trouble.isEmpty())
        m_count->setText(tr("invalid expression"));
    else if (!isSearch)
        m_count->clear();
    else if (!any)
        m_count->setText(nothingFound(*session()));
    else if (m_answer.hits.contains(at))
        m_count->setText(tr("%1 of %2").arg(countText(m_answer.hits.rank(at) + 1), countText(m_answer.hits.count())));
    else
        m_count->setText(tr("%1 found").arg(countText(m_answer.hits.count())));
    m_count->setVisible(!m_count->text().isEmpty());
}

bool FindBar::pressed(const QKeyEvent &key)
{
    const bool isOpen = m_list && m_list->isVisible();
    switch (key.key()) {
    case Qt::Key_Escape:
        hideList();
        emit left();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (key.modifiers() & Qt::ShiftModifier) {
            hideList();
            step(false);
        } else if (m_jobs.running(kKey)) {
            hideList();
            m_then = Then::Choose;
        } else {
            choose(isOpen ? m_list->current() : wishedRow());
        }
        return true;
    case Qt::Key_Down:
        if (!isOpen) {
            showList();
            return true;
        }
        break;
    default: break;
    }
    return isOpen && m_list->move(key);
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_text && event->type() == QEvent::FocusOut)
        hideList();
    if (watched == m_text && event->type() == QEvent::KeyPress && pressed(*static_cast<QKeyEvent *>(event)))
        return true;
    return View::eventFilter(watched, event);
}

} // namespace riffle
