// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/main_window.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QDropEvent>
#include <QFile>
#include <QList>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <memory>

/// Drags files over a window, which must accept them, and drops them there.
inline void dropFiles(QWidget &window, const QStringList &files, Qt::KeyboardModifiers keys = Qt::NoModifier)
{
    QMimeData data;
    QList<QUrl> urls;
    for (const QString &name : files)
        urls += QUrl::fromLocalFile(name);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, keys);
    QApplication::sendEvent(&window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, keys);
    QApplication::sendEvent(&window, &event);
}

/// A test with the main window on the screen and a folder for the test's files.
class WindowCase : public QObject {
protected:
    /// For initTestCase(): names the application and puts its stores in the folder.
    void prepare(const QString &name)
    {
        Q_INIT_RESOURCE(resources);
        QApplication::setApplicationName(name);
        QVERIFY(m_folder.isValid());
        qputenv("RIFFLE_CACHE", path(QStringLiteral("stores")).toUtf8());
    }
    /// Closes the window, if there is one, and opens another with the same settings, like a restart.
    void makeWindow()
    {
        using namespace riffle;
        m_window.reset();
        if (!m_settings)
            m_settings = std::make_unique<Settings>(path(QStringLiteral("settings.ini")));
        m_window = std::make_unique<MainWindow>(m_settings.get());
        m_window->resize(1280, 720);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    void closeWindow()
    {
        m_window.reset();
        m_settings.reset();
    }

    QString path(const QString &name) const { return m_folder.filePath(name); }
    riffle::Session *session() { return m_window->session(); }
    void open(const riffle::OpenRequest &request, const riffle::PlaceRequest &place = {})
    {
        m_window->open(request, place);
        QVERIFY(opened());
    }
    /// Waits for the traces, and goes to their lanes.
    bool opened()
    {
        if (!QTest::qWaitFor([this] { return !session()->traces().empty() && m_window->settled(); }))
            return false;
        if (m_window->isVisible() && m_window->workspace()->page() == QLatin1String("overview")) {
            m_window->showPage(QStringLiteral("timeline"));
            m_window->timeline()->setFocus();
        }
        return QTest::qWaitFor([this] { return m_window->settled(); });
    }
    void drop(const QStringList &files)
    {
        dropFiles(*m_window, files);
        QVERIFY(opened());
    }

    QTemporaryDir m_folder;
    std::unique_ptr<riffle::Settings> m_settings;
    std::unique_ptr<riffle::MainWindow> m_window;
};

/// A window test with a copy of the sample's first rank, which init() opens in a window without earlier settings.
class SampleCase : public WindowCase {
protected:
    void prepareSample(const QString &name)
    {
        prepare(name);
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), sample()));
    }
    void openSampleAfresh()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
        riffle::OpenRequest request;
        request.files = {sample()};
        open(request);
    }
    QString sample() const { return path(QStringLiteral("rank0.pt.trace.json.gz")); }
};
