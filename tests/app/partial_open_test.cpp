// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A part of a trace has the same times and marks as the whole trace.
#include "tests/app/window_case.h"

#include "app/session/place.h"
#include "tests/support/qt/widget_tests.h"
#include "views/details/details_view.h"
#include "views/search/find_bar.h"
#include "views/timeline/minimap.h"
#include "views/timeline/timeline_state.h"

#include <QFile>
#include <QLineEdit>
#include <QTest>
#include <QTextBrowser>

using namespace riffle;

namespace {
constexpr Ns kFirst = 1'000'000'000; ///< time of the file's first event, in ns
constexpr Ns kMs = 1'000'000;
} // namespace

class PartialOpenTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-part-test"));
        m_file = path(QStringLiteral("parts.json"));
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text());
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void aMarkOfAPartStandsAtTheSameTimeInTheWhole()
    {
        open(TimeSpan{50 * kMs, 60 * kMs});
        QVERIFY(session()->traces().span().begin > kFirst);
        session()->setMarks({{{kFirst + 55 * kMs, kFirst + 56 * kMs}, QStringLiteral("here")}});
        m_window->close();
        makeWindow();
        open({});
        QCOMPARE(session()->marks().size(), size_t(1));
        QCOMPARE(session()->marks()[0].span, (TimeSpan{kFirst + 55 * kMs, kFirst + 56 * kMs}));
    }

    void timesCountFromTheFirstEventOfTheFile()
    {
        PlaceRequest place;
        place.view = TimeSpan{52 * kMs, 53 * kMs};
        place.select = QStringLiteral("short@52.5ms");
        open(TimeSpan{50 * kMs, 60 * kMs}, place);
        QCOMPARE(session()->pane()->visibleRange(), (TimeSpan{kFirst + 52 * kMs, kFirst + 53 * kMs}));
        QCOMPARE(selectText(*session(), session()->selected()), place.select);
        const QString line = commandLineFor(m_window->controller()->request(), *session());
        QVERIFY2(line.contains(QLatin1String("--view=52ms:53ms")), qPrintable(line));
        QCOMPARE(m_window->timeline()->state().timeText(kFirst + 52 * kMs, kMs), QStringLiteral("52\u00A0ms"));
        QCOMPARE(m_window->sessionNow().visible, place.view);
        QCOMPARE(m_window->sessionNow().selected->start, 52 * kMs + 500'000);
        const auto *page = m_window->view(QStringLiteral("details"))->findChild<QTextBrowser *>();
        QTRY_VERIFY2(page->toPlainText().contains(QLatin1String("52.5")), qPrintable(page->toPlainText()));
    }

    void gGoesToTheTimeOfTheFile()
    {
        open(TimeSpan{50 * kMs, 60 * kMs});
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_G);
        auto *field = m_window->findBar()->box();
        QTest::keyClicks(field, QStringLiteral("54ms:55ms"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(field->text().isEmpty());
        QVERIFY(session()->pane()->visibleRange().contains(kFirst + 54 * kMs));
        QVERIFY(session()->pane()->visibleRange().duration() < 2 * kMs);
    }

    void aPartIsShownAsThePartItIs()
    {
        open(TimeSpan{50 * kMs, 60 * kMs});
        const TimeSpan part{kFirst + 50 * kMs, kFirst + 60 * kMs};
        for (const TimeSpan shown : {session()->pane()->visibleRange(), session()->pane()->wholeRange()}) {
            QVERIFY(shown.begin <= part.begin && shown.end >= part.end);
            QVERIFY(shown.duration() < part.duration() * 11 / 10);
        }
        session()->pane()->setVisibleRange({part.begin, part.begin + kMs});
        m_window->timeline()->setFocus();
        QTest::keyClick(m_window->timeline(), Qt::Key_0);
        QCOMPARE(session()->pane()->visibleRange(), session()->pane()->wholeRange());
        // Half of every millisecond is busy. The slice that spans the whole part does not count.
        const Minimap *minimap = m_window->findChild<Minimap *>();
        QTRY_VERIFY(!minimap->lines().empty());
        const double busy = Minimap::meanShare(minimap->lines().front());
        QVERIFY2(busy > 0.499 && busy < 0.501, qPrintable(QString::number(busy)));
    }

    void theWholeAfterAPartIsShownWhole()
    {
        open(TimeSpan{50 * kMs, 60 * kMs});
        session()->select({TraceId(0), SliceId(1)});
        OpenRequest request;
        request.files = {m_file};
        m_window->open(request);
        QTRY_VERIFY(!session()->traces().trace(TraceId(0))->info.part);
        QVERIFY(session()->pane()->visibleRange().duration() > 99 * kMs);
        QVERIFY(!session()->selected().valid());
    }

private:
    /// A trace with a short host slice, a host slice of 98 ms, and a stream that is busy for half of every millisecond.
    static QByteArray text()
    {
        QByteArray text =
            "{\"schemaVersion\":1,\"traceEvents\":[\n"
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"first\",\"pid\":1,\"tid\":1,\"ts\":1000000,\"dur\":10},\n"
            "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"long\",\"pid\":1,\"tid\":1,\"ts\":1001000,\"dur\":98000}";
        for (int i = 0; i < 100; ++i)
            text += ",\n{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"short\",\"pid\":0,\"tid\":7,\"ts\":" +
                    QByteArray::number(1'000'000 + i * 1000 + 500) +
                    ",\"dur\":500,\"args\":{\"device\":0,\"stream\":7}}";
        return text + "\n]}\n";
    }
    void open(const std::optional<TimeSpan> &range, const PlaceRequest &place = {})
    {
        OpenRequest request;
        request.files = {m_file};
        request.range = range;
        WindowCase::open(request, place);
    }

    QString m_file;
};

RIFFLE_WIDGET_TEST(PartialOpenTest)
#include "partial_open_test.moc"
