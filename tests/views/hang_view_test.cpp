// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/hang/hang_view.h"

#include "tests/support/flight_job.h"
#include "views/common/session/empty_notice.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>

#include <memory>

using namespace riffle;
using test::FlightJob;

class HangViewTest : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_files = std::make_unique<FlightFiles>();
        m_view = std::make_unique<HangView>(m_files.get());
        m_view->resize(900, 600);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void cleanup()
    {
        m_view.reset();
        m_files.reset();
    }

    void withoutDumpsThePageSaysWhichItShows()
    {
        const auto *notice = m_view->findChild<EmptyNotice *>();
        QVERIFY(notice->isVisible());
        QVERIFY2(notice->text().contains(QStringLiteral("dump of the Flight Recorder")), qPrintable(notice->text()));
        open(hangIn(3));
        QVERIFY(!notice->isVisible());
    }

    void theFirstDivergenceIsExplainedWithItsStacks()
    {
        const FlightJob job = hangIn(3);
        open(job);
        QCOMPARE(m_view->list()->topLevelItemCount(), 2); // the half, and the world that waits for it
        QVERIFY2(page().startsWith(QStringLiteral("Rank 3 never came to nccl:all_reduce [[64]] Float.")),
                 qPrintable(page()));
        QVERIFY(page().contains(QStringLiteral("rank 2: waits in nccl:all_reduce")));
        QVERIFY(page().contains(QStringLiteral("rank 3: never came; its last call is nccl:all_gather")));
        QCOMPARE(m_view->heading(), QStringLiteral("Read 4 dumps of ranks 0-3; 4 ranks in the job."));
        QTest::keyClick(m_view->list(), Qt::Key_Down);
        QVERIFY2(page().contains(QStringLiteral("nccl:all_gather")), qPrintable(page()));
        QCOMPARE(m_view->list()->currentItem()->text(2), QStringLiteral("nccl:all_gather [[8]] Float"));
    }

    void aFrameOpensItsFile()
    {
        const FlightJob job = hangIn(3);
        open(job);
        QSignalSpy opened(m_view.get(), &HangView::openFileRequested);
        const int64_t line = job.calls.at(2).back().line;
        const QString html = m_view->page()->toHtml();
        const auto begin = html.indexOf(QStringLiteral("href=\"frame:")) + 6;
        QVERIFY(begin > 6);
        emit m_view->page()->anchorClicked(QUrl(html.mid(begin, html.indexOf(QLatin1Char('"'), begin) - begin)));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][1].toInt(), static_cast<int>(line));
        emit m_view->page()->anchorClicked(QUrl(QStringLiteral("frame:99:0")));
        emit m_view->page()->anchorClicked(QUrl(QStringLiteral("https://example.org")));
        QCOMPARE(opened.count(), 1);
    }

    void aHealthyJobHasNoDivergenceAndAMissingDumpIsNamed()
    {
        FlightJob job = group();
        job.all(0, "all_reduce", 64);
        open(job, 3);
        QCOMPARE(m_view->list()->topLevelItemCount(), 0);
        QVERIFY2(page().startsWith(QStringLiteral("No divergence")), qPrintable(page()));
        QVERIFY2(page().contains(QStringLiteral("No dump of rank 3 was read.")), qPrintable(page()));
    }

    void dumpsWithoutARankCannotBeCompared()
    {
        const FlightJob job = hangIn(3);
        auto nameless = std::make_shared<FlightDump>(*job.dump(0));
        nameless->rank.reset();
        m_files->setDumps({nameless});
        QTRY_VERIFY(m_view->settled());
        QVERIFY2(page().startsWith(QStringLiteral("No dump could be compared")), qPrintable(page()));
        QVERIFY2(page().contains(QStringLiteral("rank")), qPrintable(page()));
    }

    void textsOfADumpAreNoMarkup()
    {
        FlightJob job = hangIn(3);
        for (auto &[rank, calls] : job.calls)
            calls.back().function = "<b>step</b>\x1b[31m";
        open(job);
        QVERIFY2(page().contains(QStringLiteral("<b>step</b>\\x1b[31m")), qPrintable(page()));
    }

private:
    static FlightJob group() { return FlightJob({{"0", "default_pg", {0, 1, 2, 3}}, {"1", "data", {2, 3}}}); }
    /// A job of four ranks, of which this one does not come to an all-reduce of its half; the others wait for it.
    static FlightJob hangIn(int64_t culprit)
    {
        FlightJob job = group();
        job.all(0, "all_gather", 8);
        job.now += 1'000'000;
        FlightJob::wait(job.call(culprit == 3 ? 2 : 3, 1, "all_reduce", 64));
        for (const int64_t rank : {0, 1})
            FlightJob::wait(job.call(rank, 0, "all_gather", 8));
        return job;
    }
    void open(const FlightJob &job, int64_t ranks = 4)
    {
        FlightFiles::Dumps dumps;
        for (int64_t rank = 0; rank < ranks; ++rank)
            dumps.push_back(job.dump(rank));
        m_files->setDumps(std::move(dumps));
        QTRY_VERIFY(m_view->settled());
    }
    QString page() const { return m_view->page()->toPlainText(); }

    std::unique_ptr<FlightFiles> m_files;
    std::unique_ptr<HangView> m_view;
};

RIFFLE_WIDGET_TEST(HangViewTest)
#include "hang_view_test.moc"
