// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/limit_badge.h"

#include "views/common/look/qt_text.h"

namespace riffle {

namespace {

QString namesOf(uint32_t limits)
{
    QStringList names;
    for (const auto &[limit, name] : {std::pair(narrowed_by::Range, LimitBadge::tr("range")),
                                      std::pair(narrowed_by::Steps, LimitBadge::tr("steps")),
                                      std::pair(narrowed_by::Lanes, LimitBadge::tr("lanes")),
                                      std::pair(narrowed_by::Ranks, LimitBadge::tr("ranks")),
                                      std::pair(narrowed_by::Names, LimitBadge::tr("name filter")),
                                      std::pair(narrowed_by::Classes, LimitBadge::tr("class filter"))})
        if (limits & limit)
            names += name;
    return names.join(QLatin1String(", "));
}

} // namespace

LimitBadge::LimitBadge(Session *session, QWidget *parent) : Chip({}, {}, parent), m_session(session)
{
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & (Session::Answers | Session::Narrowing))
            refresh();
    });
    connect(this, &QAbstractButton::clicked, this, [this] {
        const uint32_t said = m_session->narrowedBy() & ~m_unsaid;
        m_session->widen(said & ~m_ignored ? said & ~m_ignored : said);
    });
    refresh();
}

void LimitBadge::setIgnored(uint32_t ignored, uint32_t unsaid)
{
    m_ignored = ignored;
    m_unsaid = unsaid;
    refresh();
}

void LimitBadge::refresh()
{
    const uint32_t said = m_session->traces().empty() ? 0 : m_session->narrowedBy() & ~m_unsaid;
    const uint32_t applied = said & ~m_ignored, ignored = said & m_ignored;
    QStringList words, tips;
    if (applied) {
        words += tr("Follows: %1").arg(namesOf(applied));
        tips += tr("This view shows only a part of the trace. Click to show the whole.");
    }
    if (ignored) {
        words += tr("Ignores %1").arg(namesOf(ignored));
        tips += tr("This does not limit the view: %1.").arg(namesOf(ignored));
        if (!applied)
            tips += tr("Click to remove it.");
    }
    setText(words.join(QStringLiteral(" · ")));
    setAccessibleName(text());
    setToolTip(wrappedHtml(tips.join(QLatin1Char('\n'))));
    setVisible(said != 0);
    updateGeometry();
    update();
}

} // namespace riffle
