// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/big_vector.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"

#include "views/timeline/lane_labels.h"

#include <QContextMenuEvent>
#include <QMenu>
#include <QTimer>

#include <algorithm>

using namespace riffle;

/// Lanes that are not part of the trace: bands that were added to the session, and the critical path.
class TimelineBandsTest : public TimelineCase {
    Q_OBJECT

private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void addedLanesAreShownFoldedAndRemoved()
    {
        const size_t before = strips().size();
        addLane("first", {{{1'010'000, 1'050'000}, 0, named("sgemm").slice}, {{1'020'000, 1'060'000}, 1, {}}});
        addLane("second", {{{1'010'000, 1'050'000}, 0, {}}});
        QCOMPARE(strips().size(), before + 2);
        QCOMPARE(item("first").rows, 2u);
        QCOMPARE(item("first").process, item("python").process);
        QCOMPARE(item("first").note, std::string("how it was made"));

        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointIn("first", 1'012'000, 0));
        QCOMPARE(selectedName(), QStringLiteral("sgemm"));
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, {}, pointIn("first", 1'055'000, 1));
        QVERIFY(!m_session->selected().valid()); // this band does not represent a slice

        chooseFromMenu("first", QStringLiteral("Fold"));
        QCOMPARE(item("first").rows, 1u);
        chooseFromMenu("first", QStringLiteral("Remove lane"));
        QVERIFY(!m_session->hasBands("first"));
        QVERIFY(m_session->hasBands("second"));
        QCOMPARE(strips().size(), before + 1);

        test::SmallTrace other;
        other.plain(other.thread(1), "x", "c", 5, 1000);
        m_session->setTraces(test::setOf(other.seal()));
        QVERIFY(!m_session->hasBands("second"));
    }

    void theCriticalPathIsALaneOfWhatIsChosen()
    {
        const size_t before = strips().size();
        m_view->showCriticalPath(true);
        QTRY_COMPARE(strips().size(), before + 1);
        QCOMPARE(path().span, m_trace->span);
        QCOMPARE(path().rows(), 1u);

        // A range in which the critical path is a single kernel.
        m_session->setArea(AreaSelection{{1'160'000, 1'184'000}, {}});
        QTRY_COMPARE(path().span, (TimeSpan{1'160'000, 1'184'000}));
        QCOMPARE(path().size(), 1u);
        QTest::mouseDClick(&m_view->canvas(), Qt::LeftButton, {}, pointIn("critical path", 1'170'000, 0));
        QCOMPARE(selectedName(), QStringLiteral("sgemm_bwd"));
        QVERIFY(length() < 30'000);

        Filters filters;
        filters.steps = {1};
        m_session->setFilters(filters);
        m_session->setArea(std::nullopt);
        QTRY_COMPARE(path().span, (TimeSpan{1'100'000, 1'190'000}));
    }

    void idleTimesStayWhileThoseOfALongerTraceAreComputed()
    {
        const auto kernels = [](int count) {
            test::SmallTrace small;
            const uint32_t stream = small.stream(7);
            for (int at = 0; at < count; ++at)
                small.kernel(stream, "sgemm", 1'000'000 + at * 10'000, 5'000, at);
            return small.seal();
        };
        m_session->setTraces(test::setOf(kernels(4)));
        m_view->finishJobs();
        const TimeSpan idle = item("GPU idle: why").bands->bands->span;
        m_session->growTrace(TraceId(0), kernels(9), std::nullopt);
        QCOMPARE(item("GPU idle: why").bands->bands->span, idle);
        QVERIFY(m_view->canvas().rectOf({TraceId(0), SliceId(8)}));
        m_view->finishJobs();
        QCOMPARE(item("GPU idle: why").bands->bands->span.end, idle.end + 50'000);
    }

    void theCriticalPathIsToggledFromTheMenuAndKept()
    {
        const size_t before = strips().size();
        chooseFromMenu("python", QStringLiteral("Critical path"));
        QVERIFY(m_view->showsCriticalPath());
        QTRY_COMPARE(strips().size(), before + 1);
        TimelineView other(m_session->pane());
        other.restoreState(m_view->saveState());
        QVERIFY(other.showsCriticalPath());
        chooseFromMenu("critical path", QStringLiteral("Critical path"));
        QVERIFY(!m_view->showsCriticalPath());
        QCOMPARE(strips().size(), before);
    }

private:
    const Segment &path() const { return *item("critical path").bands->bands; }
    const std::vector<LaneItem> &strips() const { return m_view->state().layout().items(); }
    void addLane(const char *key, BigVector<Band> bands)
    {
        BandTrack track;
        track.key = track.title = key;
        track.note = "how it was made";
        track.names = {"a", "b"};
        m_session->addBands({{bandTrack(std::move(track), std::move(bands))}});
    }
    QPoint pointIn(const char *lane, Ns time, int row) const
    {
        const LaneItem &strip = item(lane);
        const QRect label = m_view->labels().rectOf(strip);
        return {static_cast<int>(m_view->canvas().xAt(time)),
                label.top() + LaneLayout::kPadding + row * strip.rowHeight + strip.rowHeight / 2};
    }
    void chooseFromMenu(const char *lane, const QString &text)
    {
        LaneLabels &labels = m_view->labels();
        const QPoint at = labels.rectOf(item(lane)).center();
        bool chosen = false;
        QTimer::singleShot(0, &labels, [&] {
            auto *menu = qobject_cast<QMenu *>(QApplication::activePopupWidget());
            for (QAction *action : menu ? menu->actions() : QList<QAction *>())
                if (action->text() == text) {
                    chosen = true;
                    menu->setActiveAction(action);
                    QTest::keyClick(menu, Qt::Key_Return);
                    return;
                }
            if (menu)
                menu->close();
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, labels.mapToGlobal(at));
        QApplication::sendEvent(&labels, &event);
        QVERIFY2(chosen, qPrintable(text));
    }
};

RIFFLE_WIDGET_TEST(TimelineBandsTest)
#include "timeline_bands_test.moc"
