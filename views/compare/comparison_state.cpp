// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/compare/comparison_state.h"

#include "views/common/look/qt_text.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

const auto kPartsJob = QStringLiteral("parts");

QJsonObject spanToJson(TimeSpan span)
{
    return {{QStringLiteral("begin"), QString::number(span.begin)}, {QStringLiteral("end"), QString::number(span.end)}};
}

std::optional<TimeSpan> spanFromJson(const QJsonObject &span)
{
    bool hasBegin = false, hasEnd = false;
    const TimeSpan found{span[QStringLiteral("begin")].toString().toLongLong(&hasBegin),
                         span[QStringLiteral("end")].toString().toLongLong(&hasEnd)};
    return hasBegin && hasEnd ? std::optional(found) : std::nullopt;
}

bool isLoaded(const Session &session, TraceId id) { return session.traces().trace(id); }

} // namespace

ComparisonState::ComparisonState(Session *session) : QObject(session), m_session(session)
{
    connect(session, &Session::changed, this, &ComparisonState::onSession);
    chooseDefault();
    m_bases = bases();
}

bool ComparisonState::Basis::operator==(const Basis &other) const
{
    const bool isSameTrace = !trace.owner_before(other.trace) && !other.trace.owner_before(trace);
    return isSameTrace && reading == other.reading && time == other.time && grows == other.grows &&
           settled == other.settled && state == other.state;
}

ComparisonState::Bases ComparisonState::bases() const
{
    if (!m_choices)
        return std::nullopt;
    std::array<Basis, 2> found;
    for (const size_t side : {size_t{0}, size_t{1}}) {
        if (const TraceMember *member = m_session->traces().member(choice(side).trace))
            found[side].state = member->state;
        if (const LoadedTrace *loaded = m_session->facts()->set().find(choice(side).trace)) {
            found[side].trace = loaded->trace;
            found[side].reading = loaded->reading;
            found[side].time = loaded->time;
            found[side].grows = loaded->growing.has_value();
            found[side].settled = loaded->settled();
        }
    }
    return found;
}

void ComparisonState::onSession(Session::Changes changes)
{
    if (!(changes & (Session::Answers | Session::Steps)))
        return;
    const auto before = m_choices;
    if (changes & Session::Traces)
        m_isDefault = true;
    const bool isThere = m_choices && std::ranges::all_of(*m_choices, [this](const SideChoice &choice) {
                             return m_session->traces().member(choice.trace);
                         });
    const bool isUnseen = m_isDefault && !m_parts; // nobody has looked at what was chosen so far
    const bool isOfOne = m_isDefault && m_choices && choice(0).trace == choice(1).trace &&
                         m_session->traces().loaded().size() > 1; // a second trace came
    if (!isThere)
        m_isDefault = true;
    if (!isThere || changes & Session::Traces ||
        ((isUnseen || isOfOne) && changes & (Session::Members | Session::Steps)))
        chooseDefault();
    if (before == m_choices && !(changes & Session::Traces) && m_bases == bases()) {
        // Only other members changed. What they had in memory must not stay because of this comparison.
        const TraceSet &now = m_session->facts()->set();
        if (m_comparison && std::ranges::any_of(m_comparison->set().loaded(), [&](const LoadedTrace &one) {
                return now.trace(one.id) != one.trace.get();
            }))
            m_comparison.reset();
        return;
    }
    // An open recording would have another median step every second.
    if (changes & Session::Renewed && before == m_choices && m_parts)
        for (const size_t side : {size_t{0}, size_t{1}})
            if (const ComparedSide &known = m_parts->sides[side];
                !known.isChosen && known.part.steps && m_session->traces().find(known.trace)->growing)
                (*m_choices)[side].request.steps = known.part.steps;
    const bool isSame = before == m_choices && !(changes & ~Session::Changes(Session::Renewed | Session::Grown));
    forget(isSame);
    emit changed(isSame ? Changes(Found) : Choice | Found);
}

/// Drops what holds traces, and the parts unless they are shown until there are newer ones.
void ComparisonState::forget(bool keepsParts)
{
    m_jobs.cancel(kPartsJob);
    m_comparison.reset();
    if (!keepsParts)
        m_parts.reset();
    m_areStale = m_parts.has_value();
    m_problem.clear();
    m_bases = bases();
}

/// The median step and the slowest one; without steps, all of it twice.
std::array<SideChoice, 2> ComparisonState::stepsOfOne(TraceId trace) const
{
    const SideChoice median = medianStepOf(trace, m_session->filters().stepMark);
    std::array<SideChoice, 2> both{median, median};
    if (!isLoaded(*m_session, trace))
        return both;
    // The first step is often far longer, because it warms up.
    const std::span<const Step> steps = m_session->stepsOf(trace);
    if (steps.size() < 2)
        return both;
    const auto slowest =
        std::ranges::max_element(steps.subspan(1), {}, [](const Step &step) { return step.span.duration(); });
    both[1].request.steps = TimeSpan{slowest->number, slowest->number};
    if (steps.size() == 2)
        both[0].request.steps = TimeSpan{steps[0].number, steps[0].number};
    return both;
}

void ComparisonState::chooseDefault()
{
    const std::span<const LoadedTrace> loaded = m_session->traces().loaded();
    if (loaded.empty()) {
        m_choices.reset();
        return;
    }
    m_choices = stepsOfOne(loaded.front().id);
    if (loaded.size() > 1)
        for (const size_t side : {size_t{0}, size_t{1}})
            (*m_choices)[side] = medianStepOf(loaded[side].id, m_session->filters().stepMark);
}

void ComparisonState::choose(const std::array<SideChoice, 2> &choices)
{
    for (const SideChoice &choice : choices)
        if (!m_session->traces().member(choice.trace))
            return;
    const bool isSame = m_choices == choices;
    m_isDefault = false;
    if (!isSame) {
        m_choices = choices;
        forget(false);
    }
    for (const SideChoice &choice : choices)
        if (!isLoaded(*m_session, choice.trace))
            emit m_session->memberRequested(choice.trace);
    if (!isSame)
        emit changed(Choice | Found);
}

void ComparisonState::requestUnloaded()
{
    if (!m_choices)
        return;
    const std::array<SideChoice, 2> both = *m_choices; // others may be chosen meanwhile
    for (const SideChoice &choice : both)
        if (const TraceMember *member = m_session->traces().member(choice.trace);
            member && member->state == MemberState::Unloaded)
            emit m_session->memberRequested(choice.trace);
}

void ComparisonState::choose(size_t side, const SideChoice &choice)
{
    if (!m_choices)
        return;
    std::array<SideChoice, 2> both = *m_choices;
    both[side] = choice;
    choose(both);
}

void ComparisonState::swapSides()
{
    if (m_choices)
        choose({choice(1), choice(0)});
}

void ComparisonState::compareMembers(TraceId a, TraceId b)
{
    if (a == b)
        choose(stepsOfOne(a));
    else
        choose({medianStepOf(a, m_session->filters().stepMark), medianStepOf(b, m_session->filters().stepMark)});
}

std::shared_ptr<SharedComparison> ComparisonState::comparison()
{
    if (!m_comparison && m_choices)
        m_comparison = std::make_shared<SharedComparison>(m_session->facts(), *m_choices);
    return m_comparison;
}

void ComparisonState::findParts()
{
    if ((m_parts && !m_areStale) || !m_problem.isEmpty() || !m_choices || m_jobs.running(kPartsJob))
        return;
    m_jobs.run(
        kPartsJob,
        m_session->inTurn([comparison = comparison()](const std::stop_token &stop) { return comparison->parts(stop); }),
        [this](std::optional<SharedComparison::Parts> found) {
            if (!found)
                return;
            m_areStale = false;
            m_parts.reset();
            if (*found)
                m_parts = std::move(**found);
            else
                m_problem = toQString(found->error().text());
            emit changed(Found);
        },
        [this](const QString &why) {
            m_problem = why;
            emit changed(Found);
        });
}

QJsonObject ComparisonState::saveState() const
{
    QJsonArray sides;
    const std::span<const TraceMember> members = m_session->traces().members();
    for (size_t side = 0; m_choices && !m_isDefault && side < 2; ++side) {
        const SideRequest &request = choice(side).request;
        const auto place = std::ranges::find(members, choice(side).trace, &TraceMember::id) - members.begin();
        QJsonObject saved{{QStringLiteral("member"), static_cast<int>(place)},
                          {QStringLiteral("allSteps"), request.allSteps},
                          {QStringLiteral("stepMark"), toQString(request.stepMark)}};
        if (request.steps)
            saved[QStringLiteral("steps")] = spanToJson(*request.steps);
        if (request.range)
            saved[QStringLiteral("range")] = spanToJson(*request.range);
        sides.append(saved);
    }
    return {{QStringLiteral("sides"), sides}};
}

void ComparisonState::restoreState(const QJsonObject &state)
{
    const QJsonArray sides = state[QStringLiteral("sides")].toArray();
    const std::span<const TraceMember> members = m_session->traces().members();
    std::array<SideChoice, 2> choices;
    if (sides.size() != 2)
        return;
    for (size_t side = 0; side < 2; ++side) {
        const QJsonObject saved = sides[static_cast<int>(side)].toObject();
        const int place = saved[QStringLiteral("member")].toInt(-1);
        if (place < 0 || static_cast<size_t>(place) >= members.size())
            return;
        choices[side].trace = members[static_cast<size_t>(place)].id;
        SideRequest &request = choices[side].request;
        request.allSteps = saved[QStringLiteral("allSteps")].toBool();
        request.stepMark = toUtf8(saved[QStringLiteral("stepMark")].toString());
        request.steps = spanFromJson(saved[QStringLiteral("steps")].toObject());
        request.range = spanFromJson(saved[QStringLiteral("range")].toObject());
    }
    choose(choices);
}

} // namespace riffle
