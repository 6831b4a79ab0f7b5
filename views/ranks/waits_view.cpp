// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/ranks/waits_view.h"

#include "model/analysis/ranks/straggler_tables.h"
#include "model/base/format.h"
#include "model/base/stopping.h"
#include "views/common/look/limit_badge.h"

#include <QComboBox>
#include <QCoreApplication>

#include <mutex>
#include <utility>

namespace riffle {

/// The matched calls and the stragglers of the loaded traces, which all tables of a view share. They are computed when
/// the first table needs them. Workers use it.
class SharedWaits {
public:
    ResultTable table(const std::shared_ptr<const SetFacts> &facts, const QByteArray &word)
    {
        const std::scoped_lock lock(m_mutex);
        if (m_facts != facts) {
            m_stragglers.reset();
            m_matched.reset();
            m_facts = facts;
        }
        if (!m_matched)
            m_matched = std::make_unique<MatchedSet>(*facts);
        if (const MatchView *view = findMatchView(word.constData()))
            return matchTable(*view, *m_matched);
        if (!m_stragglers)
            m_stragglers = std::make_unique<StragglerSet>(*m_matched);
        ResultTable table = stragglerTable(*findStragglerView(word.constData()), *m_stragglers);
        const std::vector<std::string> sentences = stragglerSentences(*m_stragglers);
        table.notes.insert(table.notes.begin(), sentences.begin(), sentences.end());
        return table;
    }

private:
    std::mutex m_mutex;
    std::shared_ptr<const SetFacts> m_facts;
    std::unique_ptr<MatchedSet> m_matched;
    std::unique_ptr<StragglerSet> m_stragglers;
};

WaitsView::WaitsView(Session *session, QWidget *parent)
    : ResultView(
          session, {}, [this](const Session &now) { return question(now); }, parent)
    , m_view(new QComboBox(this))
    , m_waits(std::make_shared<SharedWaits>())
{
    const auto add = [this](const auto &view) {
        m_view->addItem(QCoreApplication::translate("riffle::WaitsView", view.title), QByteArray(view.word));
    };
    for (const StragglerView &view : stragglerViews())
        add(view);
    for (const MatchView &view : matchViews())
        add(view);
    m_view->setAccessibleName(tr("Table"));
    table()->addTool(m_view);
    badge()->setIgnored(narrowed_by::Everything);
    setInvitation(tr("Calls of ranks are compared as soon as the traces of two ranks are loaded."));
    connect(m_view, &QComboBox::currentIndexChanged, this, &WaitsView::ask);
    // Also while the view is hidden: what it has computed keeps traces in memory. A worker may hold the lock for long.
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::Answers)
            m_waits = std::make_shared<SharedWaits>();
    });
}

ResultView::Work WaitsView::question(const Session &session) const
{
    if (session.traces().size() < 2)
        return {};
    const size_t left = session.traces().members().size() - session.traces().size();
    return [facts = session.facts(), waits = m_waits, word = m_view->currentData().toByteArray(),
            left](std::stop_token stop) {
        std::optional<ResultTable> table = untilStopped(stop, [&] { return waits->table(facts, word); });
        if (table && left > 0)
            table->notes.push_back(formatCounted(static_cast<int64_t>(left), "rank is", "ranks are") +
                                   " not loaded and not compared.");
        return table ? std::move(*table) : ResultTable();
    };
}

} // namespace riffle
