// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/strip/live_button.h"

#include "model/trace/wall_clock.h"
#include "views/common/look/as_of_label.h"
#include "views/common/look/qt_text.h"

#include <QDateTime>

#include <algorithm>
#include <chrono>
#include <optional>

namespace riffle {

namespace {

constexpr int kClockMs = 500;
constexpr Ns kQuiet = 5'000'000'000;              ///< a recorder writes five times a second
constexpr Ns kSameClock = 24 * 3'600'000'000'000; ///< more than this is no delay, but another clock

struct LiveState {
    int growing = 0;
    std::optional<int64_t> asOf; ///< Unix ns up to which all traces that grow are complete
    Ns quiet = 0;                ///< since the last news of the trace that has had none for longest
};

LiveState liveState(const TraceSet &traces)
{
    LiveState state;
    const auto now = std::chrono::steady_clock::now();
    for (const LoadedTrace &member : traces.loaded()) {
        if (!member.growing)
            continue;
        ++state.growing;
        state.quiet = std::max<Ns>(state.quiet, std::chrono::nanoseconds(now - member.growing->heard).count());
        const Ns complete = member.settled().value_or(member.trace->recordedSpan().end);
        if (const auto at = lateUnixTime(member.trace->info, complete))
            state.asOf = std::min(state.asOf.value_or(*at), *at);
    }
    return state;
}

QString secondsText(Ns time) { return LiveButton::tr("%1 s").arg(static_cast<double>(time) / 1e9, 0, 'f', 1); }

} // namespace

LiveButton::LiveButton(Session *session, QWidget *parent) : QToolButton(parent), m_session(session)
{
    setCheckable(true);
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
    m_clock.setInterval(kClockMs);
    connect(&m_clock, &QTimer::timeout, this, &LiveButton::say);
    connect(this, &QToolButton::clicked, this, [this](bool on) {
        m_session->pane()->setFollowsEnd(on);
        say();
    });
    connect(session, &Session::changed, this, [this](Session::Changes changes) {
        if (changes & Session::AnyTraces)
            say();
    });
    connect(session->pane(), &Pane::changed, this, [this](Pane::Changes changes) {
        if (changes & Pane::FollowsEnd)
            say();
    });
    say();
}

void LiveButton::say()
{
    const LiveState state = liveState(m_session->traces());
    setVisible(state.growing > 0);
    if (state.growing == 0) {
        m_clock.stop();
        return;
    }
    if (!m_clock.isActive())
        m_clock.start();
    setChecked(m_session->pane()->followsEnd());
    QStringList words(state.growing == 1 ? tr("Live") : tr("%1 live").arg(state.growing));
    const Ns behind = state.asOf ? QDateTime::currentMSecsSinceEpoch() * 1'000'000 - *state.asOf : Ns{-1};
    if (state.quiet > kQuiet) {
        words = {tr("Nothing new for %1 s").arg(state.quiet / 1'000'000'000), tr("perhaps its writer has stopped")};
    } else if (state.asOf) {
        words += tr("as of %1").arg(timeOfDay(*state.asOf));
        if (behind >= 0 && behind < kSameClock)
            words += tr("%1 behind").arg(secondsText(behind));
    }
    setText(words.join(QStringLiteral(" · ")));
    setAccessibleName(text());
    setToolTip(wrappedHtml(
        state.quiet > kQuiet
            ? tr("The recording has no end, and nothing was added to it for a while. Riffle cannot tell whether its "
                 "writer has stopped or waits. It goes on when there is more.")
            : tr("The recording goes on. It is complete up to this time; later events are drawn as they come. A click "
                 "makes the timeline follow the end, or stay where it is.")));
}

} // namespace riffle
