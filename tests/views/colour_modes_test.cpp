// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "tests/views/timeline_case.h"
#include "views/common/chart/chart.h"
#include "views/common/look/palette.h"
#include "views/timeline/colour_legend.h"

#include <QAbstractButton>
#include <QtTest>

using namespace riffle;

/// The colours of slices other than those of classes, and patterns.
class ColourModesTest : public TimelineCase {
    Q_OBJECT
private slots:
    void init() { showTimeline(); }
    void cleanup()
    {
        SeriesStyle::setPatterns(false);
        closeTimeline();
    }

    void everyModeIsKept()
    {
        for (const ColourMode mode : {ColourMode::Name, ColourMode::Lane, ColourMode::Step, ColourMode::Duration,
                                      ColourMode::Annotation, ColourMode::Class}) {
            m_view->setColourMode(mode);
            const QJsonObject saved = m_view->saveState();
            m_view->setColourMode(mode == ColourMode::Name ? ColourMode::Class : ColourMode::Name);
            m_view->restoreState(saved);
            QCOMPARE(m_view->colourMode(), mode);
        }
    }

    void durationsHaveTheFillsOfTheLegend()
    {
        m_view->setColourMode(ColourMode::Duration);
        m_view->finishJobs();
        const auto fillOf = [this](Ns duration) {
            return palette().edition(classFills()[classFillRow(durationFill(durationTint(duration)))].fill);
        };
        QCOMPARE(colourOf("sgemm"), fillOf(12'000));
        QCOMPARE(colourOf("aten::mm"), fillOf(10'000));
        QCOMPARE(colourOf("cudaLaunchKernel"), fillOf(2'000));
        ColourLegend legend(&m_view->state());
        const auto buttons = legend.findChildren<QAbstractButton *>();
        QCOMPARE(buttons.size(), static_cast<qsizetype>(kDurationTints));
        QCOMPARE(buttons.front()->text(), QStringLiteral("under 1 µs"));
    }

    void lanesAndStepsHaveColoursOfTheirOwn()
    {
        m_view->setColourMode(ColourMode::Lane);
        m_view->finishJobs();
        QVERIFY(colourOf("sgemm") != colourOf("aten::mm"));
        QCOMPARE(colourOf("sgemm"), colourOf("sgemm_bwd"));
        m_view->setColourMode(ColourMode::Step);
        m_view->finishJobs();
        const SliceRef first = named("sgemm");
        const SliceRef second{TraceId(0), SliceId(first.slice.value + 2)}; // the same kernel in the next step
        QCOMPARE(m_trace->string(m_trace->slice(second.slice)->data.name), std::string_view("sgemm"));
        QVERIFY(colourOf(first) != colourOf(second));
    }

    void patternsAreAnOption()
    {
        m_session->pane()->setVisibleRange({1'000'000, 1'090'000});
        const QImage without = m_view->canvas().grab().toImage();
        SeriesStyle::setPatterns(true);
        m_view->canvas().update();
        const QImage with = m_view->canvas().grab().toImage();
        QVERIFY(with != without);
        SeriesStyle::setPatterns(false);
        m_view->canvas().update();
        QCOMPARE(m_view->canvas().grab().toImage(), without);
    }

private:
    const Palette &palette() const { return Palette::fitting(m_view->palette()); }
    QRgb colourOf(const char *name) { return colourOf(named(name)); }
    QRgb colourOf(SliceRef slice)
    {
        const QRectF box = *m_view->canvas().rectOf(slice);
        const QImage image = m_view->canvas().grab().toImage().convertToFormat(QImage::Format_RGB32);
        return image.pixel(static_cast<int>(box.left()) + 1, static_cast<int>(box.top()) + 1);
    }
};

RIFFLE_WIDGET_TEST(ColourModesTest)
#include "colour_modes_test.moc"
