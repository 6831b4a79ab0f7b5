// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Opens session files, together with the options of the command line.
#include "tests/app/window_case.h"

#include "app/session/place.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QDirIterator>
#include <QFile>
#include <QTest>

using namespace riffle;

class SessionOpenTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-session-test"));
        m_sample = path(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_sample));
        m_saved = path(QStringLiteral("saved.riffle"));
    }
    void init()
    {
        ++m_number;
        qputenv("RIFFLE_CACHE", stores().toUtf8());
        makeWindow();
        open({m_sample}, {}, false);
        const Ns origin = session()->traces().span().begin;
        session()->pane()->setVisibleRange({origin + 1000, origin + 400'000});
        session()->select({TraceId(0), SliceId(11)});
        session()->setMarks({{{origin + 1, origin + 1}, QStringLiteral("note")}});
        QVERIFY(m_window->sessionNow().write(m_saved));
        makeWindow();
    }
    void cleanup() { closeWindow(); }

    void theRangeOfTheCommandLineWins()
    {
        PlaceRequest place;
        place.view = TimeSpan{200'000, 300'000};
        open({m_saved}, place);
        const Ns origin = session()->traces().span().begin;
        QCOMPARE(session()->pane()->visibleRange(), (TimeSpan{origin + 200'000, origin + 300'000}));
        QCOMPARE(session()->marks().size(), size_t(1));
        QVERIFY(session()->selected().valid());
    }

    void theSliceOfTheCommandLineWins()
    {
        PlaceRequest place;
        place.select = QStringLiteral("aten::linear");
        open({m_saved}, place);
        QCOMPARE(selectedName(*session()), place.select);
        QCOMPARE(session()->marks().size(), size_t(1));
    }

    void thePartOfTheCommandLineWins()
    {
        OpenRequest request;
        request.files = {m_saved};
        request.steps = TimeSpan{1, 1};
        m_window->open(request);
        QVERIFY(opened());
        QCOMPARE(m_window->controller()->request().steps, request.steps);
        QCOMPARE(session()->traces().trace(TraceId(0))->info.partSteps, request.steps);
    }

    void noStoreIsWrittenWhenNoneIsWanted()
    {
        open({m_saved}, {}, false);
        QTRY_VERIFY(m_window->controller()->idle());
        QDirIterator left(stores(), QDir::Files, QDirIterator::Subdirectories);
        QVERIFY2(!left.hasNext(), qPrintable(left.next()));
        QVERIFY(!m_window->controller()->request().useStore);
    }

    void aSessionAmongSeveralFilesIsRefused()
    {
        for (const QStringList &files : {QStringList{m_sample, m_saved}, {m_saved, m_sample}, {m_saved, m_saved}}) {
            OpenRequest request;
            request.files = files;
            m_window->open(request);
            QVERIFY(!m_window->controller()->loading());
            QVERIFY2(m_window->noticeText().contains(QLatin1String("saved.riffle is a session")),
                     qPrintable(m_window->noticeText()));
            m_window->noticeBar()->dismiss();
        }
    }

    void aSessionThatNamesASessionIsRefused()
    {
        SessionFile file;
        file.files.push_back({m_saved, std::nullopt, {}, {}});
        const QString outer = path(QStringLiteral("outer.riffle"));
        QVERIFY(file.write(outer));
        OpenRequest request;
        request.files = {outer};
        m_window->open(request);
        QVERIFY(!m_window->controller()->loading());
        QVERIFY2(m_window->noticeText().contains(QLatin1String("lists another session")),
                 qPrintable(m_window->noticeText()));
    }

private:
    QString stores() const { return path(QStringLiteral("stores%1").arg(m_number)); }
    void open(const QStringList &files, const PlaceRequest &place, bool useStore = true)
    {
        OpenRequest request;
        request.files = files;
        request.useStore = useStore;
        WindowCase::open(request, place);
    }

    int m_number = 0; ///< number of the test; each test has its own stores
    QString m_sample;
    QString m_saved;
};

RIFFLE_WIDGET_TEST(SessionOpenTest)
#include "session_open_test.moc"
