// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/search/search_bar.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace riffle {

namespace {

QString nothingFound(const Session &session)
{
    const EmptyFacts known = session.emptyFacts();
    if (!known.open || !known.hasEvents)
        return toQString(emptyState(known).text);
    return known.part ? SearchBar::tr("nothing found in the part that was read") : SearchBar::tr("nothing found");
}

} // namespace

SearchBar::SearchBar(Session *session, QWidget *parent)
    : View(session, Session::Placement | Session::Selection | Session::Load, parent)
    , m_text(new QLineEdit(this))
    , m_mode(new QComboBox(this))
    , m_case(new QToolButton(this))
    , m_arguments(new QToolButton(this))
    , m_count(new QLabel(this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_jobs(this)
{
    m_text->setPlaceholderText(tr("Find slices by name"));
    m_text->setClearButtonEnabled(true);
    m_text->installEventFilter(this);
    m_mode->addItem(tr("Name contains"));
    m_mode->addItem(tr("Regular expression"));
    m_mode->addItem(tr("Category contains"));
    m_case->setText(tr("Aa"));
    m_case->setToolTip(tr("Match case"));
    m_case->setCheckable(true);
    m_arguments->setText(tr("Arguments"));
    m_arguments->setToolTip(tr("Search the text of arguments, too (reads the file)"));
    m_arguments->setCheckable(true);
    m_previous->setArrowType(Qt::UpArrow);
    m_previous->setToolTip(tr("Previous (Shift+Enter)"));
    m_next->setArrowType(Qt::DownArrow);
    m_next->setToolTip(tr("Next (Enter)"));
    m_count->setMinimumWidth(fontMetrics().horizontalAdvance(QStringLiteral("00,000,000 of 00,000,000")));
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto *hide = new QToolButton(this);
    hide->setText(QStringLiteral("✕"));
    hide->setToolTip(tr("Close (Esc)"));
    hide->setAutoRaise(true);

    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 3, 6, 3);
    layout->addWidget(m_text, 1);
    for (QWidget *widget :
         std::initializer_list<QWidget *>{m_mode, m_case, m_arguments, m_count, m_previous, m_next, hide})
        layout->addWidget(widget);
    setVisible(false);

    connect(m_text, &QLineEdit::textChanged, this, &SearchBar::search);
    connect(m_mode, &QComboBox::currentIndexChanged, this, &SearchBar::search);
    connect(m_case, &QToolButton::toggled, this, &SearchBar::search);
    connect(m_arguments, &QToolButton::toggled, this, &SearchBar::search);
    connect(m_previous, &QToolButton::clicked, this, &SearchBar::previous);
    connect(m_next, &QToolButton::clicked, this, &SearchBar::next);
    connect(hide, &QToolButton::clicked, this, &SearchBar::dismiss);
    connect(&m_jobs, &Jobs::becameIdle, this, &SearchBar::settledChanged);
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (!isHidden() || !(changes & Session::Placement))
            return;
        m_jobs.cancel(QStringLiteral("search"));
        m_hits = SearchHits(); // even while hidden, because the hits keep the traces alive
        m_isOutdated = true;
    });
    showCount();
}

void SearchBar::activate()
{
    const bool wasHidden = isHidden();
    setVisible(true);
    if (wasHidden && !m_text->text().isEmpty())
        search();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

SearchQuery SearchBar::query() const
{
    SearchQuery query;
    query.text = toUtf8(m_text->text());
    query.mode = static_cast<SearchQuery::Mode>(m_mode->currentIndex());
    query.caseSensitive = m_case->isChecked();
    query.arguments = m_arguments->isChecked();
    return query;
}

void SearchBar::refresh(Session::Changes changes)
{
    if (changes & Session::Placement)
        search();
    else
        showCount();
}

void SearchBar::search()
{
    m_stepWhenFound = 0;
    m_isOutdated = false;
    const SearchQuery wanted = query();
    if (wanted.text.empty() || session()->traces().empty()) {
        m_jobs.cancel(QStringLiteral("search"));
        take(SearchHits());
        return;
    }
    m_jobs.run(
        QStringLiteral("search"),
        [traces = session()->traces(), wanted](std::stop_token stop) {
            return riffle::search(traces, wanted, {std::move(stop), nullptr});
        },
        [this](Result<SearchHits> hits) { take(std::move(hits)); },
        [this](const QString &why) {
            take(Error{toUtf8(why), {}, {}});
        });
    showCount();
}

void SearchBar::take(Result<SearchHits> hits)
{
    m_trouble = hits ? QString() : toQString(hits.error().message);
    m_hits = hits ? std::move(*hits) : SearchHits();
    const bool any = m_hits.count() > 0;
    if (!isHidden())
        session()->setHighlight(any ? m_hits.names() : PerTrace<std::vector<uint32_t>>());
    const int wanted = m_stepWhenFound;
    m_stepWhenFound = 0;
    if (wanted != 0 && any)
        step(wanted > 0);
    showCount();
}

void SearchBar::next() { step(true); }

void SearchBar::previous() { step(false); }

void SearchBar::step(bool forwards)
{
    if (m_isOutdated)
        search();
    if (m_jobs.running(QStringLiteral("search"))) {
        m_stepWhenFound = forwards ? 1 : -1;
        return;
    }
    if (m_hits.count() == 0)
        return;
    const SliceRef from = session()->selected();
    const SliceRef to = !from.valid() && forwards ? m_hits.atOrAfter(session()->pane()->visibleRange().begin)
                        : forwards                ? m_hits.next(from)
                                                  : m_hits.previous(from);
    session()->pane()->reveal(to);
}

void SearchBar::showCount()
{
    const bool busy = m_jobs.running(QStringLiteral("search"));
    const bool any = m_hits.count() > 0;
    m_previous->setEnabled(any || busy);
    m_next->setEnabled(any || busy);
    QPalette colours; // an empty palette follows the theme
    if (!m_trouble.isEmpty() || (!any && !busy && !m_text->text().isEmpty()))
        colours.setColor(QPalette::Text, QColor(0xd0, 0x40, 0x30));
    m_text->setPalette(colours);
    m_text->setToolTip(m_trouble);
    if (busy)
        m_count->setText(tr("searching…"));
    else if (!m_trouble.isEmpty())
        m_count->setText(tr("invalid expression"));
    else if (m_text->text().isEmpty())
        m_count->clear();
    else if (!any)
        m_count->setText(nothingFound(*session()));
    else if (const SliceRef at = session()->selected(); m_hits.contains(at))
        m_count->setText(tr("%1 of %2")
                             .arg(toQString(formatCount(static_cast<int64_t>(m_hits.rank(at) + 1))),
                                  toQString(formatCount(static_cast<int64_t>(m_hits.count())))));
    else
        m_count->setText(tr("%1 found").arg(toQString(formatCount(static_cast<int64_t>(m_hits.count())))));
}

void SearchBar::dismiss()
{
    m_jobs.cancel(QStringLiteral("search"));
    session()->setHighlight({});
    setVisible(false);
    emit closed();
}

bool SearchBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_text && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Escape) {
            dismiss();
            return true;
        }
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            step(!(key->modifiers() & Qt::ShiftModifier));
            return true;
        }
    }
    return View::eventFilter(watched, event);
}

} // namespace riffle
