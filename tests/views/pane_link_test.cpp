// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/session/pane_link.h"

#include "tests/model/analysis/small_trace.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/session/session.h"

#include <QTest>

#include <memory>

using namespace riffle;

class PaneLinkTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        TraceSet set = test::setOf(lasting(1'000'000, 100'000));
        set.add(lasting(3'000'000, 40'000), TimeMap());
        m_session = std::make_unique<Session>();
        m_session->setTraces(set);
        m_a = new Pane(m_session.get());
        m_b = new Pane(m_session.get());
        m_a->showOnly({TraceId(0)});
        m_b->showOnly({TraceId(1)});
        m_a->setOrigin(1'000'000);
        m_b->setOrigin(3'000'000);
        m_link = std::make_unique<PaneLink>(m_a, m_b, nullptr);
    }
    void cleanup()
    {
        m_link.reset();
        m_session.reset();
    }

    void bothShowTheSameTimesAfterTheirOrigins()
    {
        m_a->setVisibleRange({1'010'000, 1'020'000});
        QCOMPARE(m_b->visibleRange(), (TimeSpan{3'010'000, 3'020'000}));
        m_b->setVisibleRange({3'005'000, 3'030'000});
        QCOMPARE(m_a->visibleRange(), (TimeSpan{1'005'000, 1'030'000}));
        QCOMPARE(m_link->leader(), m_b);
        m_b->setHover({}, 3'007'000);
        QCOMPARE(m_a->cursor(), std::optional<Ns>(1'007'000));
        m_b->setHover({}, std::nullopt);
        QVERIFY(!m_a->cursor());
    }
    void theShorterOneHasRoomForTheLongerOne()
    {
        m_a->setVisibleRange({1'080'000, 1'100'000}); // B ends 40 µs before
        QCOMPARE(m_b->visibleRange(), (TimeSpan{3'080'000, 3'100'000}));
        m_a->setVisibleRange({0, 9'000'000});
        QCOMPARE(m_b->visibleRange().begin - 3'000'000, m_a->visibleRange().begin - 1'000'000);
        QCOMPARE(m_b->visibleRange().duration(), m_a->visibleRange().duration());
        // A change of the set keeps the place beside the traces, too.
        m_a->setVisibleRange({1'080'000, 1'100'000});
        TraceSet set = m_session->traces();
        set.add(lasting(1'000'000, 10));
        m_session->changeTraces(set);
        QCOMPARE(m_b->visibleRange(), (TimeSpan{3'080'000, 3'100'000}));
        QCOMPARE(m_a->visibleRange(), (TimeSpan{1'080'000, 1'100'000}));
        m_link->setOn(false);
        QVERIFY(m_b->visibleRange().end <= 3'042'000);
    }
    void freePanesGoTheirOwnWays()
    {
        m_a->setVisibleRange({1'010'000, 1'020'000});
        m_link->setOn(false);
        m_a->setVisibleRange({1'030'000, 1'031'000});
        QCOMPARE(m_b->visibleRange(), (TimeSpan{3'010'000, 3'020'000}));
        m_a->setHover({}, 1'030'500);
        QVERIFY(!m_b->cursor());
        m_b->setVisibleRange({3'001'000, 3'002'000});
        m_link->setOn(true); // B was moved last
        QCOMPARE(m_a->visibleRange(), (TimeSpan{1'001'000, 1'002'000}));
    }
    void anotherOriginKeepsThemTogether()
    {
        m_a->setOrigin(1'050'000);
        m_a->setVisibleRange({1'050'000, 1'060'000});
        QCOMPARE(m_b->visibleRange(), (TimeSpan{3'000'000, 3'010'000}));
        m_a->setVisibleRange({1'040'000, 1'060'000}); // before the first event of B
        QCOMPARE(m_b->visibleRange(), (TimeSpan{2'990'000, 3'010'000}));
    }

private:
    static std::shared_ptr<const Trace> lasting(Ns begin, Ns length)
    {
        test::SmallTrace trace;
        trace.plain(trace.thread(1), "x", "c", begin, length);
        return trace.seal();
    }

    std::unique_ptr<Session> m_session;
    Pane *m_a = nullptr, *m_b = nullptr; ///< of the session
    std::unique_ptr<PaneLink> m_link;
};

RIFFLE_WIDGET_TEST(PaneLinkTest)
#include "pane_link_test.moc"
