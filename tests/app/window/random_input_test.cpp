// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Thousands of random keys, clicks, drags and turns of the wheel, all over the window.
#include "tests/app/window_case.h"

#include "tests/support/log_replay.h"
#include "tests/support/qt/widget_tests.h"
#include "tests/support/recorded_log.h"

#include <QDrag>
#include <QFile>
#include <QPointer>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>

using namespace riffle;

namespace {

/// Ends the program when an input has not come to its end for a long time, and says which input that was.
class Watchdog {
public:
    void begins(int number, const QString &input)
    {
        const std::scoped_lock lock(m_mutex);
        m_input = QStringLiteral("input %1: %2").arg(number).arg(input);
        m_since = std::chrono::steady_clock::now();
    }

private:
    static constexpr std::chrono::seconds kPatience{100};

    void watch(const std::stop_token &stop)
    {
        std::unique_lock lock(m_mutex);
        while (!m_ended.wait_for(lock, stop, std::chrono::seconds(1), [&] { return stop.stop_requested(); })) {
            if (std::chrono::steady_clock::now() - m_since < kPatience)
                continue;
            std::fprintf(stderr, "Hangs since %s\n", qPrintable(m_input));
            std::abort();
        }
    }

    std::mutex m_mutex; ///< guards the members below
    std::condition_variable_any m_ended;
    QString m_input;
    std::chrono::steady_clock::time_point m_since = std::chrono::steady_clock::now();
    std::jthread m_thread{[this](const std::stop_token &stop) { watch(stop); }};
};

} // namespace

class RandomInputTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-random-input-test"));
        for (const int rank : {0, 1})
            QVERIFY(QFile::copy(QStringLiteral(":/sample/generated_rank%1.pt.trace.json.gz").arg(rank), file(rank)));
        m_closer.setInterval(5);
        connect(&m_closer, &QTimer::timeout, this, [] {
            // Menus, dialogs and dragged text run event loops of their own, in which they would wait for somebody.
            QDrag::cancel();
            for (QWidget *waiting : {QApplication::activePopupWidget(), QApplication::activeModalWidget()})
                if (waiting)
                    waiting->close();
        });
    }
    void cleanup()
    {
        m_closer.stop();
        closeWindow();
    }

    void aWindowOutlivesThem_data()
    {
        QTest::addColumn<int>("seed");
        QTest::addColumn<int>("ranks");
        QTest::newRow("one rank") << 1 << 1;
        QTest::newRow("two ranks") << 2 << 2;
        QTest::newRow("a log that is still written") << 3 << 0;
    }

    void aWindowOutlivesThem()
    {
        QFETCH(int, seed);
        QFETCH(int, ranks);
        makeWindow();
        OpenRequest request;
        for (int rank = 0; rank < ranks; ++rank)
            request.files += file(rank);
        const test::LogFolder whole;
        std::optional<test::LogReplay> log;
        if (ranks == 0) {
            test::writeRecordedLog(whole, 7, test::Calls::HeldBack);
            log.emplace(whole);
            log->write(20);
            request.files = {QString::fromStdString(log->path())};
        }
        open(request);
        // Other seeds than those of every run are tried by hand.
        m_random.seed(static_cast<uint64_t>(seed + qEnvironmentVariableIntValue("RIFFLE_RANDOM_SEED")));
        m_closer.start();
        Watchdog watchdog;
        for (int number = 0; number < kInputs; ++number) {
            act(watchdog, number);
            if (number % 10 == 0)
                QApplication::processEvents();
            if (log && number % 30 == 0)
                log->write(1);
        }
        QTRY_VERIFY_WITH_TIMEOUT(m_window->settled(), 60'000);
        // The window still does what it is asked, whatever the inputs have closed, opened, filtered or hidden.
        open(request);
        QCOMPARE(session()->traces().members().size(), static_cast<size_t>(request.files.size()));
        session()->setFilters({});
        session()->pane()->setLanes({});
        m_window->showPage(QStringLiteral("timeline"));
        session()->pane()->setVisibleRange(session()->pane()->wholeRange());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->settled(), 60'000);
        QVERIFY(!m_window->timeline()->state().layout().items().empty());
        QVERIFY(!m_window->picture().isNull());
    }

private:
    static constexpr int kInputs = 3'500;

    QString file(int rank) const { return path(QStringLiteral("rank%1.pt.trace.json.gz").arg(rank)); }
    int upTo(int limit) { return static_cast<int>(m_random() % static_cast<uint64_t>(std::max(1, limit))); }

    Qt::KeyboardModifiers modifiers()
    {
        constexpr std::array kModifiers{Qt::KeyboardModifiers(), Qt::KeyboardModifiers(Qt::ShiftModifier),
                                        Qt::KeyboardModifiers(Qt::ControlModifier),
                                        Qt::ControlModifier | Qt::ShiftModifier,
                                        Qt::KeyboardModifiers(Qt::AltModifier)};
        return upTo(3) ? Qt::KeyboardModifiers() : kModifiers[static_cast<size_t>(upTo(kModifiers.size()))];
    }

    /// A visible widget of the window, with the widgets inside it.
    QWidget *anyWidget()
    {
        QList<QWidget *> seen{m_window.get()};
        for (QWidget *widget : m_window->findChildren<QWidget *>())
            if (widget->isVisible() && !widget->size().isEmpty() && widget->window() == m_window.get())
                seen += widget;
        return seen[upTo(static_cast<int>(seen.size()))];
    }

    void act(Watchdog &watchdog, int number)
    {
        QWidget *widget = anyWidget();
        const QPoint at(upTo(widget->width()), upTo(widget->height()));
        const int kind = upTo(8);
        const QWidget *focus = m_window->focusWidget();
        watchdog.begins(number, QStringLiteral("kind %1 at %2, %3 of %4, focus %5")
                                    .arg(kind)
                                    .arg(at.x())
                                    .arg(at.y())
                                    .arg(QLatin1String(widget->metaObject()->className()))
                                    .arg(QLatin1String(focus ? focus->metaObject()->className() : "nowhere")));
        switch (kind) {
        case 0: QTest::mouseMove(widget, at); break;
        case 1: QTest::mouseClick(widget, upTo(6) ? Qt::LeftButton : Qt::MiddleButton, modifiers(), at); break;
        case 2: QTest::mouseDClick(widget, Qt::LeftButton, modifiers(), at); break;
        case 3: {
            const QPoint to(upTo(widget->width()), upTo(widget->height()));
            const QPointer<QWidget> still(widget);
            QTest::mousePress(widget, Qt::LeftButton, modifiers(), at);
            if (still)
                QTest::mouseMove(still, to);
            if (still)
                QTest::mouseRelease(still, Qt::LeftButton, {}, to);
            break;
        }
        case 4: {
            QWheelEvent wheel(at, widget->mapToGlobal(QPointF(at)), {}, {upTo(3) ? 0 : 120, 120 * (upTo(5) - 2)},
                              Qt::NoButton, modifiers(), Qt::NoScrollPhase, false);
            QApplication::sendEvent(widget, &wheel);
            break;
        }
        default: key(); break;
        }
    }

    void key()
    {
        constexpr std::array kKeys{Qt::Key_Escape,      Qt::Key_Return,       Qt::Key_Tab,       Qt::Key_Space,
                                   Qt::Key_Up,          Qt::Key_Down,         Qt::Key_Left,      Qt::Key_Right,
                                   Qt::Key_PageUp,      Qt::Key_PageDown,     Qt::Key_Home,      Qt::Key_End,
                                   Qt::Key_Slash,       Qt::Key_Question,     Qt::Key_Period,    Qt::Key_Comma,
                                   Qt::Key_BracketLeft, Qt::Key_BracketRight, Qt::Key_Backspace, Qt::Key_Delete};
        const bool isNamed = upTo(2);
        const Qt::Key key = isNamed ? kKeys[static_cast<size_t>(upTo(kKeys.size()))]
                                    : static_cast<Qt::Key>(upTo(3) ? Qt::Key_A + upTo(26) : Qt::Key_0 + upTo(10));
        const Qt::KeyboardModifiers held = modifiers();
        // These two end the program or the window.
        if (held & Qt::ControlModifier && (key == Qt::Key_Q || key == Qt::Key_W))
            return;
        QWidget *focus = m_window->focusWidget();
        QTest::keyClick(focus ? focus : m_window.get(), key, held);
    }

    std::mt19937_64 m_random;
    QTimer m_closer;
};

RIFFLE_WIDGET_TEST(RandomInputTest)
#include "random_input_test.moc"
