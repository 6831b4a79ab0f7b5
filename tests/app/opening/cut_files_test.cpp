// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A store that is cut while the window shows it: its columns read as zeros, and a notice says so, once.
#include "app/opening/open_controller.h"
#include "model/trace/store_folder.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"

#include <QFile>
#include <QFileInfo>

using namespace riffle;

class CutFilesTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-cut-files"));
        m_trace = path(QStringLiteral("trace.json.gz"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void aStoreThatIsCutIsSaidOnce()
    {
        OpenRequest request;
        request.files = {m_trace};
        open(request);
        QVERIFY(QTest::qWaitFor([this] { return session()->traces().trace(TraceId(0))->info.fromStore; }, 20'000));
        QVERIFY(QTest::qWaitFor([this] { return m_window->controller()->idle(); }, 20'000));
        const QString store =
            QString::fromStdString(StoreFolder(StoreFolder::defaultFolder()).storePath(m_trace.toStdString()));
        QVERIFY2(QFileInfo(store).size() > 8192, qPrintable(store));
        QVERIFY(QFile::resize(store, 4096));
        const QString words = QStringLiteral("was cut while it was in use");
        QTRY_VERIFY_WITH_TIMEOUT(m_window->noticeText().contains(words), 10'000);
        m_window->update();
        QTest::qWait(4500); // two more looks
        QCOMPARE(m_window->noticeText().count(words), 1);
    }

private:
    QString m_trace;
};

RIFFLE_WIDGET_TEST(CutFilesTest)
#include "cut_files_test.moc"
