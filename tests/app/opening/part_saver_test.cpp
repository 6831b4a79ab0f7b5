// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/part_saver.h"

#include "app/window/loading_bar.h"
#include "model/ingest/importer.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/trace_difference.h"
#include "views/common/look/notice_bar.h"
#include "views/common/look/qt_text.h"

#include <QAction>
#include <QDir>
#include <QMenu>
#include <QMenuBar>
#include <QSignalSpy>

using namespace riffle;

class PartSaverTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-part-saver"));
        m_sample = path(QStringLiteral("sample.pt.trace.json.gz"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_sample));
    }
    void init() { makeWindow(); }
    void cleanup() { closeWindow(); }

    void theVisibleRangeIsSavedAsATraceOfItsOwn()
    {
        openSample();
        const TraceSet opened = session()->traces(); // keeps the trace: the window may replace it with its stored copy
        const Trace &whole = *opened.trace(TraceId(0));
        const Ns begin = whole.info.recorded.begin, length = whole.info.recorded.duration();
        const TimeSpan range{begin + length / 3, begin + length / 2};
        const QString out = path(QStringLiteral("part.json.gz"));
        save(range, out);

        ImportOptions options;
        options.range = TimeSpan{range.begin - begin, range.end - begin};
        const auto part = importTrace(toUtf8(m_sample), options, {});
        const auto saved = importTrace(toUtf8(out), {}, {});
        QVERIFY(part && saved);
        QVERIFY((*saved)->sliceCount() > 10 && (*saved)->sliceCount() < whole.sliceCount());
        QCOMPARE(toQString(test::contentDifference(**part, **saved)), QString());
        QVERIFY2(m_window->noticeText().contains(QLatin1String("part.json.gz (")), qPrintable(m_window->noticeText()));

        // In the window, the saved part has the same times as in the whole trace.
        OpenRequest request;
        request.files = {out};
        open(request);
        QCOMPARE(session()->traces().origin(), begin);
        QCOMPARE(session()->traces().askedSpan(), range);
    }

    void nothingIsLeftOfWhatIsCancelledOrFails()
    {
        openSample();
        const QDir folder(m_folder.path());
        const QStringList before = folder.entryList(QDir::Files);
        QSignalSpy finished(m_window->partSaver(), &PartSaver::finished);
        start(session()->traces().span(), path(QStringLiteral("cancelled.json")));
        m_window->partSaver()->cancel();
        QCOMPARE(finished.count(), 1);
        save(session()->traces().span(), path(QStringLiteral("no such folder/part.json")));
        QVERIFY2(m_window->noticeText().contains(QLatin1String("No such file")), qPrintable(m_window->noticeText()));
        QCOMPARE(folder.entryList(QDir::Files), before);
    }

    void theMenuOffersWhatThereIs()
    {
        QMenu *file = m_window->menuBar()->actions().front()->menu();
        const auto enabled = [&](const char *words) {
            emit file->aboutToShow();
            for (const QAction *action : file->actions())
                if (action->text().remove(QLatin1Char('&')) == QString::fromUtf8(words))
                    return action->isEnabled();
            return false;
        };
        QVERIFY(!enabled("Save visible range as…"));
        openSample();
        QVERIFY(enabled("Save visible range as…"));
        QVERIFY(!enabled("Save selected range as…"));
        session()->setArea(AreaSelection{session()->traces().span(), {}});
        QVERIFY(enabled("Save selected range as…"));
    }

    void namesOfFilesFollowTheTrace()
    {
        Trace trace;
        trace.info.path = "/a/rank0.pt.trace.json.gz";
        QCOMPARE(PartSaver::suggestedName(trace), QStringLiteral("rank0.part.pt.trace.json.gz"));
        trace.info.path = "/a/host_rank0_4711.rifflelog";
        QCOMPARE(PartSaver::suggestedName(trace), QStringLiteral("host_rank0_4711.part.pt.trace.json.gz"));
    }

private:
    void openSample()
    {
        OpenRequest request;
        request.files = {m_sample};
        open(request);
    }
    void start(TimeSpan range, const QString &out)
    {
        m_window->partSaver()->save(PartSaver::partsOf(session()->traces(), range, [&](const Trace &) { return out; }));
    }
    void save(TimeSpan range, const QString &out)
    {
        start(range, out);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->partSaver()->saving(), 60'000);
    }

    QString m_sample;
};

RIFFLE_WIDGET_TEST(PartSaverTest)
#include "part_saver_test.moc"
