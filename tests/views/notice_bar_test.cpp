// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QLabel>
#include <QMainWindow>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

using namespace riffle;

class NoticeBarTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_window = std::make_unique<QMainWindow>();
        auto *column = new QWidget(m_window.get());
        auto *layout = new QVBoxLayout(column);
        m_bar = new NoticeBar(column);
        layout->addWidget(m_bar);
        layout->addStretch(1);
        m_window->setCentralWidget(column);
        m_window->resize(640, 480);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    void aLongWordDoesNotWidenTheWindow()
    {
        const QString text =
            QStringLiteral("There is no slice named ") + QString(5000, QLatin1Char('x')) + QStringLiteral(" here.");
        m_bar->notify(NoticeBar::Level::Warning, text);
        QTest::qWait(50);
        QCOMPARE(m_window->size(), QSize(640, 480));
        QVERIFY2(m_window->minimumSizeHint().width() < 640,
                 qPrintable(QString::number(m_window->minimumSizeHint().width())));
        QCOMPARE(m_bar->text(), text);
        QVERIFY(label()->toolTip().contains(text));
        const QStringList words = label()->text().split(QLatin1Char(' '));
        for (const QString &word : words)
            QVERIFY(label()->fontMetrics().horizontalAdvance(word) <= label()->width());
        QVERIFY(label()->text().startsWith(QLatin1String("There is no slice named ")));
        QVERIFY(label()->text().endsWith(QLatin1String(" here.")));
    }

    void aLongTextStaysAFewLinesTall()
    {
        m_bar->notify(NoticeBar::Level::Problem, QStringLiteral("many words ").repeated(800));
        QTest::qWait(50);
        QCOMPARE(m_window->size(), QSize(640, 480));
        QVERIFY2(m_bar->height() < m_bar->fontMetrics().lineSpacing() * 7,
                 qPrintable(QString::number(m_bar->height())));
    }

    void aShortTextIsShownAsItIs()
    {
        m_bar->notify(NoticeBar::Level::Info, QStringLiteral("A <b>short</b> text & no more"));
        QTest::qWait(50);
        QCOMPARE(label()->text(), QStringLiteral("A <b>short</b> text & no more"));
        QCOMPARE(label()->textFormat(), Qt::PlainText);
    }

    void aWiderWindowShowsMore()
    {
        m_bar->notify(NoticeBar::Level::Info, QString(400, QLatin1Char('x')));
        QTest::qWait(50);
        const qsizetype before = label()->text().size();
        m_window->resize(1200, 480);
        QTRY_VERIFY(label()->text().size() > before);
    }

    void tellsWhatItWasTold()
    {
        QSignalSpy notified(m_bar, &NoticeBar::notified);
        m_bar->notify(NoticeBar::Level::Problem, QStringLiteral("first"));
        m_bar->notify(NoticeBar::Level::Info, QStringLiteral("second"));
        QCOMPARE(notified.count(), 2);
        QCOMPARE(notified[0][1].toString(), QStringLiteral("first"));
    }

    void severalAreShownTogetherTheWorstFirst()
    {
        m_bar->notify(NoticeBar::Level::Info, QStringLiteral("an aside"));
        m_bar->notify(NoticeBar::Level::Warning, QStringLiteral("events were lost"), QStringLiteral("Which"));
        m_bar->notify(NoticeBar::Level::Problem, QStringLiteral("a file is missing"));
        m_bar->notify(NoticeBar::Level::Warning, QStringLiteral("events were lost"));
        QCOMPARE(m_bar->text(), QStringLiteral("a file is missing\nevents were lost\nan aside"));
        QCOMPARE(label()->text(), m_bar->text());
        auto *action = m_bar->findChild<QToolButton *>();
        QVERIFY(action->isVisible());
        QCOMPARE(action->text(), QStringLiteral("Which"));
    }

    void whatHasNoRoomIsCounted()
    {
        for (int number = 0; number < 6; ++number)
            m_bar->notify(NoticeBar::Level::Warning, QStringLiteral("notice %1 ").arg(number).repeated(100));
        QCOMPARE(label()->text().split(QLatin1Char('\n')).size(), 4);
        QVERIFY(label()->text().endsWith(QStringLiteral("… and 3 more")));
        QVERIFY(label()->toolTip().contains(QStringLiteral("notice 5")));
        QTest::qWait(50);
        QVERIFY2(m_bar->height() < m_bar->fontMetrics().lineSpacing() * 7,
                 qPrintable(QString::number(m_bar->height())));
    }

    void whatWasDismissedIsGone()
    {
        m_bar->notify(NoticeBar::Level::Problem, QStringLiteral("first"), QStringLiteral("Which"));
        m_bar->dismiss();
        m_bar->notify(NoticeBar::Level::Info, QStringLiteral("second"));
        QCOMPARE(m_bar->text(), QStringLiteral("second"));
        QVERIFY(!m_bar->findChild<QToolButton *>()->isVisible());
    }

private:
    QLabel *label() const { return m_bar->findChild<QLabel *>(); }

    std::unique_ptr<QMainWindow> m_window;
    NoticeBar *m_bar = nullptr;
};

RIFFLE_WIDGET_TEST(NoticeBarTest)
#include "notice_bar_test.moc"
