// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens memory timelines and logs, alone and beside traces.
#include "tests/app/window_case.h"

#include "tests/support/qt/widget_tests.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/look/notice_bar.h"
#include "views/memory/log/log_view.h"

#include <QComboBox>
#include <QDir>
#include <QFile>

using namespace riffle;

class MemoryFilesOpenTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-memory-files-test"));
        m_trace = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
        m_timeline = path(QStringLiteral("timeline.json"));
        write(m_timeline, "[[1000,2000],[[0,4096,0,0,0,0,0,0,1],[0,4096,0,0,0,2048,0,0,1]]]");
        m_cut = path(QStringLiteral("cut.json"));
        write(m_cut, "[[1000,2000],[[0,4096,0,0,0,0,0,0,1],[0,4096,0,0,");
        m_logs = path(QStringLiteral("memory_trace"));
        for (const char *rank : {"rank0_dp0_tp0", "rank1_dp1_tp0"}) {
            const QString folder = m_logs + QLatin1Char('/') + QLatin1String(rank);
            QVERIFY(QDir().mkpath(folder));
            write(folder + QStringLiteral("/memory.log"),
                  "Memory State:\ntime: 1.5\n---summary---\ntotal_memory: 10.00 MB\nparams_memory: 10.00 MB, "
                  "grads_memory: 0.00 MB, os_params_memory: 0.00 MB, "
                  "os_state_memory: 0.00 MB, activation_memory: 0.00 MB\n\n");
        }
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void aLogAloneTakesTheMiddle()
    {
        openFiles({m_logs});
        QVERIFY(m_window->logPage()->isVisible());
        QCOMPARE(m_window->logPage()->rankBox()->count(), 2);
        QCOMPARE(m_window->logPage()->sunburst()->middleText(), QStringLiteral("10.00\u00a0MB"));
        QVERIFY(m_window->windowTitle().contains(QStringLiteral("memory_trace")));
    }

    void aTimelineBesideATraceIsAPage()
    {
        openFiles({m_trace, m_timeline});
        QVERIFY(!session()->traces().empty());
        QVERIFY(!m_window->logPage()->isVisible());
        m_window->showPage(QStringLiteral("memory-logs"));
        QVERIFY(m_window->logPage()->isVisible());
        QTRY_COMPARE(m_window->logPage()->sunburst()->tree().total(), 6145);
    }

    void whatIsOpenedNextTakesItsPlace()
    {
        openFiles({m_logs});
        openFiles({m_timeline});
        QCOMPARE(m_window->logPage()->sunburst()->tree().total(), 6145);
        openFiles({m_trace});
        QVERIFY(!m_window->logPage()->isVisible());
        QVERIFY(m_window->controller()->sideFiles().empty());
    }

    void damageIsSaid()
    {
        openFiles({m_cut});
        QVERIFY(m_window->logPage()->isVisible());
        QVERIFY2(m_window->noticeText().contains(QStringLiteral("cut")), qPrintable(m_window->noticeText()));
        QCOMPARE(m_window->logPage()->sunburst()->tree().total(), 4097);
    }

private:
    static void write(const QString &file, const QByteArray &bytes)
    {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(bytes);
    }
    void openFiles(const QStringList &files)
    {
        OpenRequest request;
        request.files = files;
        m_window->open(request, {});
        QTRY_VERIFY(!m_window->controller()->loading() && m_window->controller()->request().files == files &&
                    m_window->settled());
    }

    QString m_trace, m_timeline, m_cut, m_logs;
};

RIFFLE_WIDGET_TEST(MemoryFilesOpenTest)
#include "memory_files_open_test.moc"
