// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/common/look/palette.h"
#include "views/details/details_view.h"

#include <QTextBrowser>
#include <QtTest>

using namespace riffle;

/// Several selected slices.
class TimelineSelectionTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup() { closeTimeline(); }

    void controlAddsSlicesAndTakesThemAway()
    {
        click("sgemm");
        click("sgemm_bwd", Qt::ControlModifier);
        click("aten::linear", Qt::ControlModifier);
        QCOMPARE(m_session->selected(), named("sgemm"));
        QCOMPARE(m_session->alsoSelected(), (std::vector{named("sgemm_bwd"), named("aten::linear")}));
        click("sgemm_bwd", Qt::ControlModifier);
        QCOMPARE(m_session->alsoSelected(), std::vector{named("aten::linear")});
        click("sgemm", Qt::ControlModifier);
        QCOMPARE(m_session->selected(), named("aten::linear"));
        QVERIFY(m_session->alsoSelected().empty());
        click("aten::linear", Qt::ControlModifier);
        QVERIFY(!m_session->selected().valid());
    }

    void aClickWithoutControlSelectsOneAgain()
    {
        click("sgemm", Qt::ControlModifier);
        click("sgemm_bwd", Qt::ControlModifier);
        click("sgemm");
        QCOMPARE(m_session->selected(), named("sgemm"));
        QVERIFY(m_session->alsoSelected().empty());
    }

    void escapeDropsAllOfThem()
    {
        click("sgemm");
        click("sgemm_bwd", Qt::ControlModifier);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QVERIFY(!m_session->selected().valid());
        QVERIFY(m_session->alsoSelected().empty());
    }

    void theDetailsTellSumUnionAndGaps()
    {
        DetailsView details(m_session.get());
        details.resize(400, 600);
        details.show();
        QVERIFY(QTest::qWaitForWindowExposed(&details));
        click("sgemm"); // 9 to 21 µs of the step
        QTRY_VERIFY(textOf(details).contains(QStringLiteral("sgemm")));
        QVERIFY(!textOf(details).contains(QStringLiteral("selected slices")));
        click("sgemm_bwd", Qt::ControlModifier); // 60 to 84 µs
        click("aten::mm", Qt::ControlModifier);  // 5 to 15 µs
        QTRY_VERIFY(textOf(details).contains(QStringLiteral("3 selected slices")));
        const QString text = textOf(details);
        QVERIFY2(text.contains(QStringLiteral("Sum46.00 µs")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Union40.00 µs")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Gaps39.00 µs")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("From first to last79.00 µs")), qPrintable(text));
    }

    void everySelectedSliceHasAnOutline()
    {
        click("sgemm");
        click("sgemm_bwd", Qt::ControlModifier);
        const QImage image = m_view->canvas().grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QRgb line = Palette::fitting(m_view->palette()).selection;
        for (const char *name : {"sgemm", "sgemm_bwd"}) {
            const QRect box = m_view->canvas().rectOf(named(name))->toAlignedRect();
            QCOMPARE(image.pixel(box.center().x(), box.top() - 1), line);
        }
    }

    void aMemberThatIsGoneTakesItsSlicesAlong()
    {
        m_session->setTraces(TraceSet::of({m_trace, m_trace}));
        const SliceRef first = named("sgemm"), second{TraceId(1), first.slice};
        m_session->select(second);
        m_session->toggleSelected(first);
        TraceSet set = m_session->traces();
        set.remove(TraceId(1));
        m_session->changeTraces(std::move(set));
        QCOMPARE(m_session->selected(), first);
        QVERIFY(m_session->alsoSelected().empty());
    }

private:
    void click(const char *name, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(&m_view->canvas(), Qt::LeftButton, modifiers, pointOf(name));
    }
    static QString textOf(const DetailsView &details)
    {
        return details.findChild<QTextBrowser *>()
            ->toPlainText()
            .replace(QChar(0xa0), QLatin1Char(' '))
            .remove(QLatin1Char('\n'));
    }
};

RIFFLE_WIDGET_TEST(TimelineSelectionTest)
#include "timeline_selection_test.moc"
