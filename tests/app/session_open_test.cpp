// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Session files together with what the command line asks for.
#include "app/main_window.h"
#include "app/place.h"
#include "views/common/notice_bar.h"
#include "views/timeline/navigation.h"
#include "views/timeline/timeline_view.h"

#include <QDirIterator>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace riffle;

class SessionOpenTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        Q_INIT_RESOURCE(resources);
        QApplication::setApplicationName(QStringLiteral("riffle-session-test"));
        QVERIFY(m_folder.isValid());
        m_sample = m_folder.filePath(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_sample));
        m_saved = m_folder.filePath(QStringLiteral("saved.riffle"));
    }
    void init()
    {
        ++m_number;
        qputenv("RIFFLE_CACHE", stores().toUtf8());
        m_settings = std::make_unique<Settings>(m_folder.filePath(QStringLiteral("settings.ini")));
        makeWindow();
        open({m_sample}, {}, false);
        const Ns origin = session()->traces().span().begin;
        session()->setVisibleRange({origin + 1000, origin + 400'000});
        session()->select({0, SliceId(11)});
        session()->setMarks({{{origin + 1, origin + 1}, QStringLiteral("note")}});
        QVERIFY(m_window->sessionNow().write(m_saved));
        makeWindow();
    }
    void cleanup()
    {
        m_window.reset();
        m_settings.reset();
    }

    void theRangeOfTheCommandLineWins()
    {
        PlaceRequest place;
        place.view = TimeSpan{200'000, 300'000};
        open({m_saved}, place);
        const Ns origin = session()->traces().span().begin;
        QCOMPARE(session()->visibleRange(), (TimeSpan{origin + 200'000, origin + 300'000}));
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
        QCOMPARE(session()->traces().trace(0)->steps.size(), size_t(1));
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
            QVERIFY2(m_window->noticeText().contains(QLatin1String("saved.riffle is a session")), qPrintable(m_window->noticeText()));
            m_window->noticeBar()->dismiss();
        }
    }

    void aSessionThatNamesASessionIsRefused()
    {
        SessionFile file;
        file.files.push_back({m_saved, std::nullopt});
        const QString outer = m_folder.filePath(QStringLiteral("outer.riffle"));
        QVERIFY(file.write(outer));
        OpenRequest request;
        request.files = {outer};
        m_window->open(request);
        QVERIFY(!m_window->controller()->loading());
        QVERIFY2(m_window->noticeText().contains(QLatin1String("names another session")), qPrintable(m_window->noticeText()));
    }

private:
    QString stores() const { return m_folder.filePath(QStringLiteral("stores%1").arg(m_number)); }
    Session *session() { return m_window->session(); }
    void makeWindow()
    {
        m_window.reset();
        m_window = std::make_unique<MainWindow>(m_settings.get());
        m_window->resize(1280, 720);
        m_window->timeline()->navigation().setAnimated(false);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    bool opened()
    {
        return QTest::qWaitFor([this] { return !session()->traces().empty() && m_window->settled(); });
    }
    void open(const QStringList &files, const PlaceRequest &place, bool useStore = true)
    {
        OpenRequest request;
        request.files = files;
        request.useStore = useStore;
        m_window->open(request, place);
        QVERIFY(opened());
    }

    QTemporaryDir m_folder;
    int m_number = 0; ///< of the test: each has its own stores
    QString m_sample;
    QString m_saved;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

QTEST_MAIN(SessionOpenTest)
#include "session_open_test.moc"
