// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/jobs.h"
#include "views/common/session/session.h"
#include "views/compare/shared_comparison.h"

#include <QJsonObject>
#include <QObject>

#include <array>
#include <memory>
#include <optional>

namespace riffle {

/// The state that the page and the table of a comparison share: which parts of the session's traces are its sides, and
/// what they are found to be. Nothing is computed until somebody who is visible asks.
class ComparisonState : public QObject {
    Q_OBJECT
public:
    enum Change {
        Choice = 1 << 0, ///< choices(): the user, or other traces, changed what is compared
        Found = 1 << 1   ///< parts() or problem()
    };
    Q_DECLARE_FLAGS(Changes, Change)

    explicit ComparisonState(Session *session);

    Session *session() const { return m_session; }
    /// False if no trace is loaded.
    bool hasChoices() const { return m_choices.has_value(); }
    const SideChoice &choice(size_t side) const { return (*m_choices)[side]; }
    /// Compares other parts. A member that is not loaded is asked for.
    void choose(const std::array<SideChoice, 2> &choices);
    void choose(size_t side, const SideChoice &choice);
    void swapSides();
    /// Compares the median steps of two members; of one member with itself, its median step with its slowest one.
    void compareMembers(TraceId a, TraceId b);

    /// Asks for the chosen members that are not in memory, but not for those that could not be read.
    void requestUnloaded();

    /// The comparison of the parts that are chosen now, for jobs; null if there is none to ask.
    std::shared_ptr<SharedComparison> comparison();
    /// Finds parts() in the background, unless they are known or being found.
    void findParts();
    const std::optional<ComparedParts> &parts() const { return m_parts; }
    const QString &problem() const { return m_problem; } ///< why there are no parts, as a sentence
    bool settled() const { return m_jobs.idle(); }

    /// The choice for session files; members are named by their places in the set.
    QJsonObject saveState() const;
    void restoreState(const QJsonObject &state);

signals:
    void changed(riffle::ComparisonState::Changes changes);

private:
    /// The things about a chosen member that the comparison depends on.
    struct Basis {
        std::weak_ptr<const Trace> trace; ///< the one that the session's facts are about
        uint32_t reading = 0;
        TimeMap time;
        bool grows = false;
        std::optional<Ns> settled;
        MemberState state = MemberState::Unloaded;
        bool operator==(const Basis &other) const;
    };
    using Bases = std::optional<std::array<Basis, 2>>;
    Bases bases() const;
    void onSession(Session::Changes changes);
    void chooseDefault();
    void forget(bool keepsParts);
    std::array<SideChoice, 2> stepsOfOne(TraceId trace) const;

    Session *m_session;
    std::optional<std::array<SideChoice, 2>> m_choices;
    bool m_isDefault = true; ///< nobody has chosen
    Bases m_bases;           ///< of what is known about m_choices
    std::shared_ptr<SharedComparison> m_comparison;
    std::optional<ComparedParts> m_parts;
    bool m_areStale = false; ///< m_parts are those of an earlier generation of a trace that grows
    QString m_problem;
    Jobs m_jobs; // last: its destructor waits for jobs
};
Q_DECLARE_OPERATORS_FOR_FLAGS(ComparisonState::Changes)

} // namespace riffle
