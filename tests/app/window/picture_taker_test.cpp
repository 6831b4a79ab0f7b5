// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/picture_taker.h"

#include "app/window/main_window.h"
#include "tests/support/qt/widget_tests.h"

#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace riffle;

class PictureTakerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        Q_INIT_RESOURCE(resources);
        QVERIFY(m_folder.isValid());
        qputenv("RIFFLE_CACHE", m_folder.filePath(QStringLiteral("stores")).toUtf8());
        m_sample = m_folder.filePath(QStringLiteral("sample.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_sample));
        m_picture = m_folder.filePath(QStringLiteral("picture.png"));
    }
    void init() { QFile::remove(m_picture); }

    void aGoodTraceGivesAPicture()
    {
        LaunchOptions options = launchOf({m_sample});
        options.place.select = QStringLiteral("aten::linear");
        QCOMPARE(exitCodeOf(options), 0);
        QCOMPARE(QImage(m_picture).size(), QSize(1000, 600));
    }

    void theWelcomePageGivesAPicture() { QCOMPARE(exitCodeOf(launchOf({})), 0); }

    void aMissingFileAmongSeveralIsAFailure()
    {
        QCOMPARE(exitCodeOf(launchOf({m_sample, m_folder.filePath(QStringLiteral("missing.json"))})), 1);
        QVERIFY(!QImage(m_picture).isNull());
        QCOMPARE(exitCodeOf(launchOf({m_folder.filePath(QStringLiteral("missing.json"))})), 1);
    }

    void aPictureNeverReplacesAnOpenFile()
    {
        const QString trace = m_folder.filePath(QStringLiteral("open.json"));
        QVERIFY(QFile::copy(m_sample, trace));
        for (const QStringList &files : {QStringList{trace}, {m_sample, trace}}) {
            LaunchOptions options = launchOf(files);
            options.screenshot = trace;
            QCOMPARE(exitCodeOf(options), 1);
        }
        QCOMPARE(QFile(trace).size(), QFile(m_sample).size());
    }

    void aNameThatDoesNotExistIsAFailure()
    {
        LaunchOptions options = launchOf({m_sample});
        options.place.select = QStringLiteral("no such slice");
        QCOMPARE(exitCodeOf(options), 1);
    }

    void aLongNameLeavesTheSize()
    {
        LaunchOptions options = launchOf({m_sample});
        options.place.select = QString(4000, QLatin1Char('x'));
        QCOMPARE(exitCodeOf(options), 1);
        QCOMPARE(QImage(m_picture).size(), QSize(1000, 600));
    }

    void aPictureThatIsNotCompleteInTimeIsAFailure() { QCOMPARE(exitCodeOf(launchOf({m_sample}), 0), 1); }

    void aPictureThatCannotBeWrittenIsAFailure()
    {
        LaunchOptions options = launchOf({m_sample});
        options.screenshot = m_folder.filePath(QStringLiteral("no such folder/picture.png"));
        QCOMPARE(exitCodeOf(options), 1);
    }

    void onlyNamesOfPngFilesAreTaken()
    {
        RawLaunchOptions raw;
        for (const char *name : {"picture.jpg", "picture", "png", "picture.png.txt"}) {
            raw.screenshot = name;
            QVERIFY2(!understood(raw), name);
            QVERIFY(understood(raw).error().message.find(name) != std::string::npos);
        }
        raw.screenshot = "Picture.PNG";
        QVERIFY(understood(raw));
    }

private:
    LaunchOptions launchOf(const QStringList &files) const
    {
        LaunchOptions options;
        options.open.files = files;
        options.screenshot = m_picture;
        return options;
    }
    int exitCodeOf(const LaunchOptions &options, int limitMs = PictureTaker::kLimitMs)
    {
        Settings settings(m_folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(&settings);
        window.resize(1000, 600);
        PictureTaker taker(&window, options, limitMs);
        QSignalSpy finished(&taker, &PictureTaker::finished);
        window.launch(options);
        window.show();
        taker.start();
        return finished.wait(20'000) ? finished[0][0].toInt() : -1;
    }

    QTemporaryDir m_folder;
    QString m_sample;
    QString m_picture;
};

RIFFLE_WIDGET_TEST(PictureTakerTest)
#include "picture_taker_test.moc"
