// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/timeline/colour_legend.h"

#include <QAbstractButton>
#include <QEnterEvent>
#include <QJsonObject>
#include <QSignalSpy>

using namespace riffle;

namespace {

constexpr const char *kProduct = "ampere_sgemm_128x64_tn";
constexpr const char *kCollective = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(int)";

std::shared_ptr<const Trace> traceWithClasses()
{
    test::SmallTrace trace;
    const uint32_t main = trace.thread(1, "python"), stream = trace.stream(7);
    trace.step(main, 1, 1000, 5000);
    trace.frame(main, "nn.Module: Linear_0", 1100, 900, 1);
    trace.operation(main, "aten::mm", 1200, 600);
    trace.launch(main, 1300, 100, 1);
    trace.kernel(stream, kProduct, 2000, 1500, 1);
    trace.kernel(stream, kCollective, 4000, 1500, 2);
    return trace.seal();
}

std::shared_ptr<const Trace> traceOfABuild()
{
    test::SmallTrace trace;
    trace.format = "Chrome JSON";
    trace.plain(trace.thread(1, "worker"), "Compile", "build", 1000, 1000);
    return trace.seal();
}

} // namespace

/// Colours of slices by class and by name, and their legend.
class SliceColoursTest : public TimelineCase {
    Q_OBJECT

private slots:
    void cleanup() { closeTimeline(); }

    void slicesHaveTheFillsOfTheirClasses()
    {
        showTimeline(traceWithClasses());
        QCOMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct));
        QCOMPARE(colourOf(kCollective), fillOf(WorkClass::Communication, kCollective));
        QCOMPARE(colourOf("aten::mm"), fillOf(WorkClass::Forward, "aten::mm"));
        QCOMPARE(colourOf("ProfilerStep#1"), fillOf(WorkClass::OtherHost, "ProfilerStep#1"));
    }

    void theModeIsByNameIfWanted()
    {
        showTimeline(traceWithClasses());
        QSignalSpy changed(m_view.get(), &TimelineView::stateChanged);
        m_view->setColourMode(ColourMode::Name);
        QVERIFY(!changed.isEmpty());
        QCOMPARE(colourOf(kProduct), colours().slice(Palette::colourIndex(kProduct)));
        const QJsonObject saved = m_view->saveState();
        m_view->setColourMode(ColourMode::Class);
        QCOMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct));
        m_view->restoreState(saved);
        QCOMPARE(m_view->colourMode(), ColourMode::Name);
        m_view->restoreState({});
        QCOMPARE(m_view->colourMode(), ColourMode::Class);
    }

    void tracesOfOtherProgramsAreColouredByName()
    {
        showTimeline(traceOfABuild());
        QCOMPARE(colourOf("Compile"), colours().slice(Palette::colourIndex("Compile")));
        const ColourLegend legend(&m_view->state());
        QVERIFY(buttons(legend).empty());
    }

    void theLegendNamesTheClassesThatOccur()
    {
        showTimeline(traceWithClasses());
        ColourLegend legend(&m_view->state());
        legend.resize(legend.sizeHint());
        legend.show();
        QCOMPARE(legend.height(), 22);
        QCOMPARE(namesOf(legend), (QStringList{QStringLiteral("Matrix products"), QStringLiteral("Communication"),
                                               QStringLiteral("Forward"), QStringLiteral("Other")}));
        for (const QAbstractButton *button : buttons(legend)) {
            QVERIFY(!button->accessibleName().isEmpty() && !button->toolTip().isEmpty());
            QVERIFY(button->focusPolicy() & Qt::TabFocus);
        }
        legend.resize(legend.width() - 1, legend.height());
        QCOMPARE(namesOf(legend).last(), QStringLiteral("Forward"));
        legend.resize(20, legend.height());
        QVERIFY(namesOf(legend).isEmpty());

        m_view->setColourMode(ColourMode::Name);
        legend.resize(1000, legend.height());
        QVERIFY(buttons(legend).empty());
        m_view->setColourMode(ColourMode::Class);
        QCOMPARE(namesOf(legend).size(), 4);
    }

    void aClickInTheLegendFiltersByAClassAndASecondOneEndsIt()
    {
        showTimeline(traceWithClasses());
        ColourLegend legend(&m_view->state());
        showLegend(legend);
        QAbstractButton *communication = buttons(legend).at(1);
        QTest::mouseClick(communication, Qt::LeftButton);
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::Communication));
        QVERIFY(communication->isChecked());
        QTRY_COMPARE(colourOf(kProduct), colours().dimmed(fillOf(WorkClass::MatrixProducts, kProduct)));
        QCOMPARE(colourOf(kCollective), fillOf(WorkClass::Communication, kCollective));
        QCOMPARE(colourOf("aten::mm"), colours().dimmed(fillOf(WorkClass::Forward, "aten::mm")));

        QTest::mouseClick(communication, Qt::LeftButton);
        QVERIFY(m_session->filters().empty() && !communication->isChecked());
        QTRY_COMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct));

        buttons(legend).at(2)->setFocus();
        QTest::keyClick(buttons(legend).at(2), Qt::Key_Space);
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::Forward));
        QVERIFY(m_session->escape()); // ended elsewhere
        QVERIFY(!buttons(legend).at(2)->isChecked());
    }

    void ctrlAndAClickAddsAClassAndTakesItAway()
    {
        showTimeline(traceWithClasses());
        ColourLegend legend(&m_view->state());
        showLegend(legend);
        QAbstractButton *products = buttons(legend).at(0), *communication = buttons(legend).at(1);
        QTest::mouseClick(communication, Qt::LeftButton);
        QTest::mouseClick(products, Qt::LeftButton, Qt::ControlModifier);
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::Communication) | bitOf(WorkClass::MatrixProducts));
        QVERIFY(products->isChecked() && communication->isChecked());
        QTRY_COMPARE(colourOf("aten::mm"), colours().dimmed(fillOf(WorkClass::Forward, "aten::mm")));
        QCOMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct));
        QTest::mouseClick(communication, Qt::LeftButton, Qt::ControlModifier);
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::MatrixProducts));
        QTest::mouseClick(communication, Qt::LeftButton); // this class alone
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::Communication));
        QVERIFY(!products->isChecked());
    }

    void aNameAndAClassBothHaveToPass()
    {
        showTimeline(traceWithClasses());
        Filters filters;
        filters.classes = bitOf(WorkClass::Communication) | bitOf(WorkClass::MatrixProducts);
        filters.text = "sgemm";
        m_session->setFilters(filters);
        QTRY_COMPARE(colourOf(kCollective), colours().dimmed(fillOf(WorkClass::Communication, kCollective)));
        QCOMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct));
        filters.classes = bitOf(WorkClass::Forward);
        m_session->setFilters(filters);
        QTRY_COMPARE(colourOf(kProduct), colours().dimmed(fillOf(WorkClass::MatrixProducts, kProduct)));
    }

    void slicesThatComeLaterAreFilteredToo()
    {
        showTimeline(traceWithClasses());
        Filters filters;
        filters.classes = bitOf(WorkClass::Communication);
        m_session->setFilters(filters);
        TraceSet more = m_session->traces();
        more.add(traceWithClasses(), TimeMap());
        m_session->changeTraces(std::move(more));
        m_view->finishJobs();
        QCOMPARE(m_session->filters().classes, bitOf(WorkClass::Communication));
        for (const TraceId rank : {TraceId(0), TraceId(1)}) {
            QCOMPARE(m_view->state().hits()[rank].size(), size_t{1});
            QCOMPARE(m_view->state().hits()[rank].front(), named(kCollective).slice.value);
        }
    }

    void aClassUnderThePointerIsEmphasised()
    {
        showTimeline(traceWithClasses());
        ColourLegend legend(&m_view->state());
        showLegend(legend);
        m_session->setHighlightedSlices({{named(kProduct).slice.value}});
        QEnterEvent enter(QPointF(2, 2), QPointF(2, 2), QPointF(2, 2));
        QCoreApplication::sendEvent(buttons(legend).at(2), &enter);
        QTRY_COMPARE(colourOf(kProduct), colours().dimmed(fillOf(WorkClass::MatrixProducts, kProduct)));
        QCOMPARE(colourOf("aten::mm"), fillOf(WorkClass::Forward, "aten::mm"));
        QVERIFY(m_session->filters().empty());
        QEvent leave(QEvent::Leave);
        QCoreApplication::sendEvent(buttons(legend).at(2), &leave);
        QTRY_COMPARE(colourOf(kProduct), fillOf(WorkClass::MatrixProducts, kProduct)); // the highlight is back
        QCOMPARE(colourOf("aten::mm"), colours().dimmed(fillOf(WorkClass::Forward, "aten::mm")));
    }

    void aClassUnderThePointerIsEmphasisedInRanksWhoseClassesComeLater()
    {
        showTimeline(traceWithClasses());
        m_session->setTraces(test::setOf(traceWithClasses()));
        QVERIFY(!m_view->state().workClasses()[TraceId(0)]);
        m_view->state().pointAtClass(WorkClass::Communication);
        m_view->finishJobs();
        const auto &emphasised = m_view->state().emphasisedSlices()[TraceId(0)];
        QCOMPARE(emphasised.size(), size_t(1));
        QCOMPARE(emphasised[0], named(kCollective).slice.value);
    }

    void idleTimesAreHatchedInGrey()
    {
        showTimeline(traceWithClasses());
        const LaneItem &idle = item("GPU idle: why");
        QVERIFY(idle.bands->hatched);
        const QImage image = m_view->canvas().grab().toImage().convertToFormat(QImage::Format_RGB32);
        const QRgb line = Palette::mixed(colours().idle, colours().canvas, 0.4);
        size_t lines = 0, all = 0;
        for (int y = idle.y + 2; y < idle.y + idle.height - 2; ++y)
            for (int x = 0; x < image.width(); ++x, ++all)
                lines += image.pixel(x, y) == line;
        QVERIFY(lines > 0);
        QVERIFY(lines < all / 2);
    }

private:
    const Palette &colours() const { return Palette::fitting(m_view->palette()); }
    QRgb fillOf(WorkClass kind, const char *name) const
    {
        return colours().edition(classFills()[classFillRow(kind, nameColour(name))].fill);
    }
    /// The colour near the right end of a slice, where no name is.
    QRgb colourOf(const char *name)
    {
        const QRectF box = *m_view->canvas().rectOf(named(name));
        const QImage image = m_view->canvas().grab().toImage().convertToFormat(QImage::Format_RGB32);
        return image.pixel(static_cast<int>(box.right()) - 4, static_cast<int>(box.top()) + 2);
    }
    static void showLegend(ColourLegend &legend)
    {
        legend.resize(legend.sizeHint());
        legend.show();
        QVERIFY(QTest::qWaitForWindowExposed(&legend));
        for (QAbstractButton *button : buttons(legend)) { // the pointer may rest over one of them
            QEvent leave(QEvent::Leave);
            QCoreApplication::sendEvent(button, &leave);
        }
    }
    static QList<QAbstractButton *> buttons(const ColourLegend &legend)
    {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        return legend.findChildren<QAbstractButton *>();
    }
    static QStringList namesOf(const ColourLegend &legend)
    {
        QStringList names;
        for (const QAbstractButton *button : buttons(legend))
            if (!button->isHidden())
                names += button->text();
        return names;
    }
};

RIFFLE_WIDGET_TEST(SliceColoursTest)
#include "slice_colours_test.moc"
