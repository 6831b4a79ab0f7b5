// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A store with a damaged block is used until the check finds it; then only its trace is read again.
#include "app/opening/open_controller.h"
#include "model/ingest/trace_opening.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"

#include <QFile>

using namespace riffle;

class DamagedStoreTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase() { prepare(QStringLiteral("riffle-test-damaged-store")); }
    void cleanup() { closeWindow(); }

    void onlyTheTraceWithTheDamagedStoreIsReadAgain()
    {
        OpenRequest request;
        for (const char *name : {"rank0.json.gz", "rank1.json.gz"}) {
            request.files += path(QLatin1String(name));
            QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), request.files.back()));
        }
        makeWindow();
        open(request);
        QVERIFY(QTest::qWaitFor([this] { return stored() && m_window->controller()->idle(); }, 20'000));
        damage(request.files[1]);

        makeWindow();
        open(request);
        QVERIFY(stored());
        const SliceRef selected{TraceId(1), SliceId(7)};
        session()->select(selected);
        const Trace *intact = session()->traces().trace(TraceId(0));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_window->noticeText().contains(QStringLiteral("stored copy of this trace is damaged")), 20'000);
        QVERIFY(QTest::qWaitFor([this] { return stored() && m_window->controller()->idle(); }, 20'000));
        QCOMPARE(session()->traces().trace(TraceId(0)), intact);
        QCOMPARE(session()->selected(), selected);
        StorePolicy verified;
        verified.folder = StoreFolder();
        const auto again = openTrace(request.files[1].toStdString(), {}, verified, {});
        QVERIFY(again && again->store); // it was written again
    }

private:
    /// True if all traces come from their stores.
    bool stored()
    {
        const auto loaded = session()->traces().loaded();
        return loaded.size() == 2 && loaded[0].trace->info.fromStore && loaded[1].trace->info.fromStore;
    }
    /// Changes a byte of a column, which opening the store does not look at.
    static void damage(const QString &trace)
    {
        QFile file(QString::fromStdString(StoreFolder().storePath(trace.toStdString())));
        QVERIFY(file.open(QIODevice::ReadWrite));
        const qint64 at = file.size() / 2;
        QVERIFY(file.seek(at));
        const char byte = static_cast<char>(file.read(1).at(0) ^ 1);
        QVERIFY(file.seek(at) && file.write(&byte, 1) == 1);
    }
};

RIFFLE_WIDGET_TEST(DamagedStoreTest)
#include "damaged_store_test.moc"
