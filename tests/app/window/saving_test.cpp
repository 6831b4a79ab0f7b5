// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// A file that the window saves never replaces one that it has open.
#include "app/opening/part_saver.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/notice_bar.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QTimer>

using namespace riffle;

class SavingTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-saving"));
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        m_trace = path(QStringLiteral("trace.json"));
        QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank0.pt.trace.json.gz"), m_trace));
        m_content = content(m_trace);
    }
    void init()
    {
        makeWindow();
        OpenRequest request;
        request.files = {m_trace};
        open(request);
    }
    void cleanup() { closeWindow(); }

    void noDialogReplacesAnOpenTrace_data()
    {
        QTest::addColumn<QString>("menu");
        QTest::addColumn<QString>("entry");
        QTest::addRow("session") << "File"
                                 << "Save session…";
        QTest::addRow("part") << "File"
                              << "Save visible range as…";
        QTest::addRow("rules") << "Memory"
                               << "Write the built-in rules to a file as a starting point…";
    }
    void noDialogReplacesAnOpenTrace()
    {
        QFETCH(QString, menu);
        QFETCH(QString, entry);
        const QString link = path(QStringLiteral("link.json"));
        QFile::remove(link);
        QVERIFY(QFile::link(m_trace, link));
        for (const QString &name : {m_trace, link}) {
            answerDialogWith(name);
            QAction *action = entryOf(menu, entry);
            QVERIFY(action);
            action->trigger();
            QVERIFY(QTest::qWaitFor([this] { return m_window->settled() && !m_window->partSaver()->saving(); }));
            QVERIFY2(m_window->noticeText().contains(QLatin1String("is being read")),
                     qPrintable(m_window->noticeText()));
            QCOMPARE(content(m_trace), m_content);
            m_window->noticeBar()->dismiss();
        }
    }

    void aSessionIsSavedOverAnotherSession()
    {
        const QString session = path(QStringLiteral("work.riffle"));
        for (int time = 0; time < 2; ++time) {
            answerDialogWith(session);
            entryOf(QStringLiteral("File"), QStringLiteral("Save session…"))->trigger();
            QVERIFY2(!m_window->noticeText().contains(QLatin1String("is being read")),
                     qPrintable(m_window->noticeText()));
            QVERIFY(content(session).contains("trace.json"));
        }
    }

private:
    static QByteArray content(const QString &name)
    {
        QFile file(name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QAction *found(const QList<QAction *> &actions, const QString &words)
    {
        for (QAction *action : actions) {
            if (action->text().remove(QLatin1Char('&')) == words)
                return action;
            if (action->menu())
                if (QAction *inside = found(action->menu()->actions(), words))
                    return inside;
        }
        return nullptr;
    }
    /// Returns the entry, which may be in a submenu. Entries of other menus can have the same words as the menu.
    QAction *entryOf(const QString &menu, const QString &words)
    {
        for (QAction *top : m_window->menuBar()->actions()) {
            if (top->text().remove(QLatin1Char('&')) != menu)
                continue;
            emit top->menu()->aboutToShow();
            return found(top->menu()->actions(), words);
        }
        return nullptr;
    }
    /// Enters the name in the file dialog that opens next, and confirms that the file may be replaced.
    void answerDialogWith(const QString &name)
    {
        auto *timer = new QTimer(this);
        timer->setInterval(20);
        connect(timer, &QTimer::timeout, timer, [timer, name] {
            QWidget *modal = QApplication::activeModalWidget();
            if (auto *question = qobject_cast<QMessageBox *>(modal)) {
                timer->deleteLater();
                question->button(QMessageBox::Yes)->click();
            } else if (auto *dialog = qobject_cast<QFileDialog *>(modal)) {
                dialog->findChild<QLineEdit *>()->setText(name);
                if (!QFile::exists(name))
                    timer->deleteLater();
                QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
            }
        });
        timer->start();
    }

    QString m_trace;
    QByteArray m_content;
};

RIFFLE_WIDGET_TEST(SavingTest)
#include "saving_test.moc"
