// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// The welcome page: its samples open, and the tour shows its cards only on request.
#include "app/window/tour.h"

#include "app/window/commands/key_guide.h"
#include "app/window/samples.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/memory/memory_session.h"

#include <QLabel>
#include <QPushButton>
#include <QSet>

using namespace riffle;

class TourTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-test-tour")); }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void nothingIsForcedOnTheFirstStart()
    {
        QVERIFY(!m_window->tour()->isRunning());
        QCOMPARE(m_window->workspace()->page(), QStringLiteral("welcome"));
        QVERIFY(!QApplication::activeModalWidget());
        for (const auto &[key, says] : usefulKeys())
            QVERIFY2(hasLabel(key) && hasLabel(says), qPrintable(key));
        QCOMPARE(usefulKeys().size(), 5);
    }

    void eachKindHasFiveCards_data()
    {
        QTest::addColumn<TourKind>("kind");
        QTest::addRow("trace") << TourKind::Trace;
        QTest::addRow("ranks") << TourKind::Ranks;
        QTest::addRow("log") << TourKind::Log;
        QTest::addRow("snapshot") << TourKind::Snapshot;
        QTest::addRow("other") << TourKind::OtherTrace;
    }
    void eachKindHasFiveCards()
    {
        QFETCH(TourKind, kind);
        QCOMPARE(tourCards(kind).size(), size_t(5));
        QSet<QString> titles;
        for (const TourCard &card : tourCards(kind)) {
            titles += QString::fromUtf8(card.title);
            QVERIFY(QString::fromUtf8(card.text).endsWith(QLatin1Char('.')));
        }
        QCOMPARE(titles.size(), 5);
    }

    void theTourOpensTheSampleAndIsLeftAtAnyTime()
    {
        QTest::mouseClick(button("welcomeTour"), Qt::LeftButton);
        Tour *tour = m_window->tour();
        QTRY_VERIFY(tour->isRunning());
        QCOMPARE(session()->traces().members().size(), size_t(2));
        QVERIFY(!QApplication::activeModalWidget());
        QCOMPARE(tour->card(), 0);
        press(Qt::Key_Right);
        QCOMPARE(tour->card(), 1);
        press(Qt::Key_Return); // the button "Next" has the focus
        QCOMPARE(tour->card(), 2);
        press(Qt::Key_Left);
        QCOMPARE(tour->card(), 1);
        press(Qt::Key_Escape);
        QVERIFY(!tour->isRunning());
        m_window->startTour();
        QCOMPARE(tour->card(), 0);
        for (int card = 0; card < 5; ++card)
            press(Qt::Key_Return);
        QVERIFY(!tour->isRunning());
    }

    void cardsStandBesideTheirPartsInsideTheWindow()
    {
        open(0);
        for (const QSize size : {QSize(1024, 700), QSize(1280, 720), QSize(1920, 1080)}) {
            m_window->resize(size);
            QVERIFY(QTest::qWaitFor([this] { return m_window->settled(); }));
            m_window->startTour();
            for (int card = 0; card < 5; ++card) {
                QApplication::processEvents();
                const QRect place = m_window->tour()->geometry();
                QVERIFY2(m_window->rect().contains(place), qPrintable(QString::number(card)));
                for (const QLabel *label : m_window->tour()->findChildren<QLabel *>())
                    QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
                press(Qt::Key_Right);
            }
        }
    }

    void otherFilesEndTheTour()
    {
        open(0);
        m_window->startTour();
        QVERIFY(m_window->tour()->isRunning());
        open(2);
        QVERIFY(!m_window->tour()->isRunning());
    }

    void theSnapshotShowsWhyItRanOut()
    {
        QTest::mouseClick(button("welcomeSample1"), Qt::LeftButton);
        QTRY_VERIFY(!session()->memory()->empty() && m_window->settled());
        QTRY_VERIFY(m_window->isInFront(QStringLiteral("out-of-memory")));
        m_window->startTour();
        QVERIFY(m_window->tour()->isRunning());
        QVERIFY(hasLabel(QStringLiteral("Memory over time")));
    }

    void theLogHasSteps()
    {
        QTest::mouseClick(button("welcomeSample2"), Qt::LeftButton);
        QTRY_VERIFY(!session()->traces().empty() && m_window->settled());
        QCOMPARE(session()->traces().loaded().front().trace->steps.size(), size_t(8));
        m_window->startTour();
        QVERIFY(hasLabel(QStringLiteral("The recorded run in one line")));
    }

    void aSampleIsUnpackedOnce()
    {
        const QString folder = path(QStringLiteral("samples"));
        for (const Sample &sample : samples()) {
            const auto first = unpackSample(sample, folder);
            QVERIFY(first && !first->isEmpty());
            QVERIFY(QFileInfo::exists(first->front()));
            const auto again = unpackSample(sample, folder);
            QVERIFY(again);
            QCOMPARE(*again, *first);
        }
        const QString file = path(QStringLiteral("file"));
        QFile blocked(file);
        QVERIFY(blocked.open(QIODevice::WriteOnly));
        QVERIFY(!unpackSample(samples()[0], file + QStringLiteral("/folder")));
    }

private:
    void open(int sample)
    {
        m_window->openSample(sample);
        QVERIFY(QTest::qWaitFor([this] { return !m_window->controller()->loading() && m_window->settled(); }, 30'000));
        QVERIFY(opened());
    }
    QPushButton *button(const char *name) const
    {
        return m_window->findChild<QPushButton *>(QString::fromLatin1(name));
    }
    bool hasLabel(const QString &text) const
    {
        for (const QLabel *label : m_window->findChildren<QLabel *>())
            if (label->text() == text && label->isVisible())
                return true;
        return false;
    }
    static void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key); }
};

RIFFLE_WIDGET_TEST(TourTest)
#include "tour_test.moc"
