// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Large traces are read only after the user has chosen which part of them.
#include "app/window/part_dialog.h"
#include "tests/app/window_case.h"
#include "tests/support/qt/widget_tests.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFile>
#include <QPointer>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>

using namespace riffle;

class PartChoiceTest : public WindowCase {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        prepare(QStringLiteral("riffle-test-part-choice"));
        m_steps = write(QStringLiteral("steps.json"), true);
        m_plain = write(QStringLiteral("plain.json"), false);
    }
    void init()
    {
        QFile::remove(path(QStringLiteral("settings.ini")));
        makeWindow();
        m_window->controller()->setStoreWriting(false);
        m_settings->setPartLimitBytes(1000);
    }
    void cleanup() { closeWindow(); }

    void everythingIsReadIfItIsChosen()
    {
        ask(m_steps);
        const QString text = button("everything")->text();
        QVERIFY2(text.contains(QLatin1String("about 1 s and")), qPrintable(text));
        QVERIFY(button("everything")->isChecked());
        QVERIFY(session()->traces().empty());
        press(QDialogButtonBox::Open);
        QVERIFY(opened());
        QCOMPARE(steps(), (std::vector<int64_t>{5, 6, 7, 8}));
        QTRY_VERIFY(!dialog());
    }

    void theFirstStepsCountFromTheFirstOneOfTheFile()
    {
        ask(m_steps);
        auto *count = dialog()->findChild<QSpinBox *>(QStringLiteral("firstSteps"));
        type(count, 2);
        QVERIFY(button("firstStepsChoice")->isChecked()); // a value that is changed is meant
        press(QDialogButtonBox::Open);
        QVERIFY(opened());
        QCOMPARE(steps(), (std::vector<int64_t>{5, 6}));
        QCOMPARE(m_window->controller()->request().steps, std::optional(TimeSpan{5, 6}));
    }

    void aRangeOfStepsIsReadAndRemembered()
    {
        ask(m_steps);
        QTest::mouseClick(button("stepsChoice"), Qt::LeftButton, {}, QPoint(8, button("stepsChoice")->height() / 2));
        type(dialog()->findChild<QSpinBox *>(QStringLiteral("fromStep")), 6);
        type(dialog()->findChild<QSpinBox *>(QStringLiteral("toStep")), 7);
        QTest::keyClick(dialog(), Qt::Key_Return);
        QVERIFY(opened());
        QCOMPARE(steps(), (std::vector<int64_t>{6, 7}));
        makeWindow();
        m_window->controller()->setStoreWriting(false);
        ask(m_steps);
        QVERIFY(button("stepsChoice")->isChecked());
        QCOMPARE(dialog()->findChild<QSpinBox *>(QStringLiteral("toStep"))->value(), 7);
        press(QDialogButtonBox::Cancel);
    }

    void withoutStepsARangeOfTimeIsOffered()
    {
        ask(m_plain);
        QVERIFY(!button("stepsChoice") && !button("firstStepsChoice"));
        auto *until = dialog()->findChild<QDoubleSpinBox *>(QStringLiteral("toSecond"));
        until->setFocus();
        until->selectAll();
        QTest::keyClicks(until, QStringLiteral("0.002"));
        QVERIFY(button("timeChoice")->isChecked());
        press(QDialogButtonBox::Open);
        QVERIFY(opened());
        QCOMPARE(m_window->controller()->request().range, std::optional(TimeSpan{0, 2'000'000}));
        QVERIFY(session()->traces().trace(TraceId(0))->info.part);
    }

    void escapeOpensNothingAndKeepsWhatIsOpen()
    {
        m_settings->setPartLimitBytes(0);
        drop({m_plain});
        m_settings->setPartLimitBytes(1000);
        ask(m_steps);
        QTest::keyClick(dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!dialog());
        QVERIFY(!m_window->controller()->loading());
        QCOMPARE(m_window->controller()->request().files, QStringList{m_plain});
        QCOMPARE(session()->traces().size(), size_t(1));
    }

    void anotherOpeningWithdrawsTheQuestion()
    {
        ask(m_steps);
        const QPointer<PartDialog> first = dialog();
        OpenRequest request;
        request.files = {m_plain};
        request.range = TimeSpan{0, 1'000'000}; // options of the command line answer the question
        m_window->open(request);
        QVERIFY(opened());
        QTRY_VERIFY(!first);
        QVERIFY(!dialog());
        QCOMPARE(m_window->controller()->request().files, QStringList{m_plain});
    }

    void theQuestionCanBeSwitchedOff()
    {
        ask(m_steps);
        auto *again = dialog()->findChild<QCheckBox *>(QStringLiteral("askNextTime"));
        QTest::mouseClick(again, Qt::LeftButton, {}, QPoint(8, again->height() / 2));
        press(QDialogButtonBox::Open);
        QVERIFY(opened());
        QCOMPARE(m_settings->partLimitBytes(), qint64(0));
        drop({m_plain});
        QVERIFY(!dialog());
    }

    void aFileWithAStoreIsReadAtOnce()
    {
        m_settings->setPartLimitBytes(0);
        m_window->controller()->setStoreWriting(true);
        drop({m_plain});
        QTRY_VERIFY(m_window->controller()->idle());
        m_settings->setPartLimitBytes(1000);
        drop({m_plain});
        QVERIFY(!dialog());
    }

    void f5AndAFileThatIsBrokenDoNotAskInVain()
    {
        m_settings->setPartLimitBytes(0);
        drop({m_steps});
        m_settings->setPartLimitBytes(1000);
        QTest::keyClick(m_window->timeline(), Qt::Key_F5);
        QVERIFY(opened());
        QVERIFY(!dialog());
        const QString broken = path(QStringLiteral("broken.json"));
        QFile file(broken);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(QByteArray(2000, 'x')) > 0);
        file.close();
        ask(broken);
        QCOMPARE(button("everything")->text(), QStringLiteral("&Everything"));
        press(QDialogButtonBox::Open);
        QTRY_VERIFY(m_window->noticeText().contains(QLatin1String("broken.json")));
    }

private:
    QString write(const QString &name, bool withSteps)
    {
        QByteArray text = "{\"schemaVersion\":1,\"traceEvents\":[\n";
        for (int at = 0; at < 200; ++at)
            text += R"({"ph":"X","cat":"cpu_op","name":"op","pid":1,"tid":1,"ts":)" +
                    QByteArray::number(1000 + 20 * at) + ",\"dur\":10},\n";
        for (int step = 5; withSteps && step < 9; ++step)
            text += R"({"ph":"X","cat":"user_annotation","name":"ProfilerStep#)" + QByteArray::number(step) +
                    R"(","pid":1,"tid":1,"ts":)" + QByteArray::number(1000 + 1000 * (step - 5)) + ",\"dur\":999},\n";
        text.chop(2);
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text + "]}") < 0)
            qFatal("no room for a file");
        return path(name);
    }
    void ask(const QString &file)
    {
        dropFiles(*m_window, {file});
        QTRY_VERIFY(dialog() && dialog()->isVisible());
    }
    PartDialog *dialog() { return m_window->findChild<PartDialog *>(); }
    QRadioButton *button(const char *name) { return dialog()->findChild<QRadioButton *>(QLatin1String(name)); }
    void press(QDialogButtonBox::StandardButton which)
    {
        QTest::mouseClick(dialog()->findChild<QDialogButtonBox *>()->button(which), Qt::LeftButton);
    }
    static void type(QSpinBox *box, int value)
    {
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::number(value));
    }
    std::vector<int64_t> steps()
    {
        std::vector<int64_t> numbers;
        for (const Step &step : session()->traces().trace(session()->traces().members().front().id)->steps)
            numbers.push_back(step.number);
        return numbers;
    }

    QString m_steps, m_plain;
};

RIFFLE_WIDGET_TEST(PartChoiceTest)
#include "part_choice_test.moc"
