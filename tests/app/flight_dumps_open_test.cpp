// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens dumps of the Flight Recorder, alone and beside traces.
#include "tests/app/window_case.h"

#include "tests/support/archives.h"
#include "tests/support/flight_job.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/qt_text.h"
#include "views/hang/hang_view.h"

#include <QDir>
#include <QFile>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace riffle;

class FlightDumpsOpenTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-flight-dumps-test"));
        m_trace = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
        m_dumps = path(QStringLiteral("挂起 dumps"));
        QVERIFY(QDir().mkpath(m_dumps));
        test::FlightJob job({{"0", "default_pg", {0, 1}}});
        job.all(0, "all_reduce");
        test::FlightJob::wait(job.call(0, 0, "broadcast"));
        test::writeFile(toUtf8(m_dumps + QStringLiteral("/nccl_trace_rank_0")), job.pickle(0));
        test::writeFile(toUtf8(m_dumps + QStringLiteral("/nccl_trace_rank_1")), job.pickle(1));
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void aFolderOfDumpsShowsTheHang()
    {
        openFiles({m_dumps});
        QVERIFY(m_window->hangPage()->isVisible());
        QTRY_COMPARE(m_window->hangPage()->list()->topLevelItemCount(), 1);
        QVERIFY(text().startsWith(QStringLiteral("Rank 1 never came to nccl:broadcast")));
        QVERIFY(m_window->windowTitle().contains(QStringLiteral("挂起 dumps")));
    }

    void dumpsBesideATraceAreAPage()
    {
        openFiles({m_trace, m_dumps});
        QVERIFY(!session()->traces().empty());
        QVERIFY(!m_window->hangPage()->isVisible());
        m_window->showPage(QStringLiteral("hang"));
        QVERIFY(m_window->hangPage()->isVisible());
        QTRY_COMPARE(m_window->hangPage()->list()->topLevelItemCount(), 1);
    }

    void aClosedDumpIsMissing()
    {
        openFiles({m_dumps});
        QTRY_COMPARE(m_window->hangPage()->list()->topLevelItemCount(), 1);
        m_window->controller()->close(m_dumps + QStringLiteral("/nccl_trace_rank_1"));
        QTRY_VERIFY2(text().contains(QStringLiteral("No dump of rank 1 was read")), qPrintable(text()));
    }

private:
    /// Opens a folder of two dumps, and perhaps a file beside it.
    void openFiles(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        m_window->open(request, {});
        QTRY_VERIFY(!m_window->controller()->loading() && m_window->controller()->sideFiles().size() == 2 &&
                    m_window->settled());
    }
    QString text() { return m_window->hangPage()->page()->toPlainText(); }

    QString m_trace, m_dumps;
};

RIFFLE_WIDGET_TEST(FlightDumpsOpenTest)
#include "flight_dumps_open_test.moc"
