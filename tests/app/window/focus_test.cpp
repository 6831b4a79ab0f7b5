// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/app/window_case.h"

#include "app/window/focus_ring.h"
#include "tests/support/qt/widget_tests.h"
#include "views/area/area_view.h"
#include "views/common/table/summary_table.h"

#include <QFile>
#include <QLineEdit>
#include <QTabBar>
#include <QTest>
#include <QTreeView>

using namespace riffle;

class FocusTest : public SampleCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepareSample(QStringLiteral("riffle-focus-test")); }
    void init() { openSampleAfresh(); }
    void cleanup() { closeWindow(); }

    void lettersMoveTheTimelineAfterAClickInATable()
    {
        QTreeView *list = areaTable();
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualRect(list->model()->index(0, 0)).center());
        QVERIFY(list->hasFocus());
        const TimeSpan before = session()->pane()->visibleRange();
        QTest::keyClick(list, Qt::Key_W);
        QVERIFY(session()->pane()->visibleRange().duration() < before.duration());
        const TimeSpan zoomed = session()->pane()->visibleRange();
        QTest::keyClick(list, Qt::Key_D);
        QVERIFY(session()->pane()->visibleRange().begin > zoomed.begin);
        QTest::keyClick(list, Qt::Key_A);
        QTest::keyClick(list, Qt::Key_S);
        QVERIFY(session()->pane()->visibleRange().duration() > zoomed.duration());
        QVERIFY(list->hasFocus());
        QCOMPARE(list->currentIndex().row(), 0); // the letters searched for no row
        QTest::keyClick(list, Qt::Key_Down);
        QCOMPARE(list->currentIndex().row(), 1);
    }

    void aHeldKeyIsLetGoWhenTheFocusLeaves()
    {
        QTreeView *list = areaTable();
        list->setFocus();
        QTest::keyPress(list, Qt::Key_W);
        areaView()->findChild<QLineEdit *>()->setFocus();
        QApplication::processEvents();
        const TimeSpan left = session()->pane()->visibleRange();
        QTest::qWait(60);
        QCOMPARE(session()->pane()->visibleRange(), left);
        QTest::keyRelease(areaView()->findChild<QLineEdit *>(), Qt::Key_W);
    }

    void lettersInATextBoxStayText()
    {
        areaTable();
        auto *box = areaView()->findChild<QLineEdit *>();
        box->setFocus();
        const TimeSpan before = session()->pane()->visibleRange();
        QTest::keyClicks(box, QStringLiteral("wasd"));
        QCOMPARE(box->text(), QStringLiteral("wasd"));
        QCOMPARE(session()->pane()->visibleRange(), before);
    }

    /// The picture around each widget that Tab reaches differs when the focus has moved on.
    void everyTabStopShowsTheFocus()
    {
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
        int stops = 0;
        for (; stops < 40; ++stops) {
            QWidget *stop = m_window->focusWidget();
            QVERIFY(stop);
            QApplication::processEvents();
            const QRect around = QRect(stop->mapTo(m_window.get(), stop->visibleRegion().boundingRect().topLeft()),
                                       stop->visibleRegion().boundingRect().size());
            const QImage with = m_window->picture().copy(around);
            // Said before the key, because answers of jobs may replace the widget while events are processed.
            const QString name =
                QString::fromLatin1(stop->metaObject()->className()) + QLatin1Char(' ') + stop->accessibleName();
            QTest::keyClick(stop, Qt::Key_Tab);
            if (m_window->focusWidget() == stop)
                QTest::keyClick(stop, Qt::Key_Tab, Qt::ControlModifier);
            QApplication::processEvents();
            QVERIFY2(with != m_window->picture().copy(around), qPrintable(name));
            if (m_window->focusWidget() == m_window->timeline())
                break;
        }
        QVERIFY(stops > 3);
    }

    void theRingSurroundsTheWholeWidget()
    {
        m_window->timeline()->setFocus();
        const auto *ring = m_window->findChild<FocusRing *>();
        QVERIFY(ring);
        int surrounded = 0;
        for (int stops = 0; stops < 40; ++stops) {
            QTest::keyClick(m_window->focusWidget(), Qt::Key_Tab);
            const QWidget *stop = m_window->focusWidget();
            if (stop == m_window->timeline())
                break;
            QApplication::processEvents();
            if (!ring->isVisible())
                continue;
            const auto *tabs = qobject_cast<const QTabBar *>(stop);
            const QRect part = tabs ? tabs->tabRect(tabs->currentIndex()) & tabs->rect() : stop->rect();
            QRect inSight(stop->mapTo(m_window.get(), part.topLeft()), part.size());
            for (const QWidget *around = stop->parentWidget(); around; around = around->parentWidget())
                inSight &= QRect(around->mapTo(m_window.get(), QPoint()), around->size());
            QCOMPARE(ring->geometry(), inSight);
            ++surrounded;
        }
        QVERIFY(surrounded > 1);
    }

private:
    AreaView *areaView() const { return static_cast<AreaView *>(m_window->view(QStringLiteral("area"))); }
    QTreeView *areaTable()
    {
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        if (!QTest::qWaitFor([this] { return areaView()->table()->rows().rowCount() > 1; }))
            qFatal("the area has no rows");
        return areaView()->table()->view();
    }
};

RIFFLE_WIDGET_TEST(FocusTest)
#include "focus_test.moc"
