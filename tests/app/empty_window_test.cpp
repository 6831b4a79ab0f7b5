// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/app/window_case.h"

#include "tests/support/qt/widget_tests.h"
#include "views/common/memory/memory_session.h"
#include "views/common/session/empty_notice.h"

#include <QFile>
#include <QPushButton>

using namespace riffle;

/// The words of the window about files in which there is little or nothing to see.
class EmptyWindowTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-empty-test")); }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini"))); // each test starts with default settings
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void aFileWithoutEventsSaysSo()
    {
        open(fileWith(R"({"traceEvents":[]})"));
        EmptyNotice *notice = m_window->timeline()->findChild<EmptyNotice *>();
        QVERIFY(notice->isVisible());
        QCOMPARE(notice->text(), QStringLiteral("There are no events in trace.json."));
    }

    void theFileThatIsReadIsNamed()
    {
        m_window->open(fileWith(R"({"traceEvents":[]})"));
        QCOMPARE(session()->loading(), QStringLiteral("trace.json"));
        QCOMPARE(session()->memory()->loading(), QStringLiteral("trace.json"));
        QVERIFY(opened());
        QCOMPARE(session()->loading(), QString());
        OpenRequest missing;
        missing.files = {path(QStringLiteral("missing.json")), path(QStringLiteral("other.json"))};
        m_window->open(missing);
        QCOMPARE(session()->loading(), QStringLiteral("missing.json and 1 more"));
        QTRY_COMPARE(session()->loading(), QString());
    }

    void aClickReadsTheWholeFile()
    {
        OpenRequest request = fileWith(R"({"schemaVersion": 1, "traceEvents": [
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":100,"dur":50},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":110,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":130,"dur":20,"args":{"correlation":1,"stream":7,"device":0}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":900,"dur":50}]})");
        request.range = TimeSpan{700'000, 900'000};
        open(request);
        m_window->bringForward(QStringLiteral("kernels"));
        EmptyNotice *notice = m_window->view(QStringLiteral("kernels"))->findChild<EmptyNotice *>();
        QTRY_COMPARE(notice->text(), QStringLiteral("The part of the trace that was read contains no device work."));
        QTRY_VERIFY(notice->button()->isVisible());
        QTest::mouseClick(notice->button(), Qt::LeftButton);
        QTRY_VERIFY(!session()->traces().trace(TraceId(0))->info.part);
        QTRY_VERIFY(!notice->isVisible());
    }

private:
    OpenRequest fileWith(const char *text)
    {
        QFile file(path(QStringLiteral("trace.json")));
        if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
            file.write(text);
        OpenRequest request;
        request.files = {file.fileName()};
        return request;
    }
};

RIFFLE_WIDGET_TEST(EmptyWindowTest)
#include "empty_window_test.moc"
