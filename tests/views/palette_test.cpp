// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/qt/widget_tests.h"
#include "views/common/look/palette.h"

#include "views/common/look/qt_text.h"
#include "views/common/look/theme.h"

#include <QApplication>
#include <QColor>
#include <QLineEdit>
#include <QToolButton>
#include <QtTest>

#include <cmath>

using namespace riffle;

class PaletteTest : public QObject {
    Q_OBJECT
private slots:
    void textOnEverySliceCanBeRead();
    void textOfTheInterfaceCanBeRead();
    void boxesAndWhatIsOnStandOut();
    void slicesStandOutFromTheCanvas();
    void allColoursDifferForColourBlindEyes();
    void bothEditionsHaveTheSameHues();
    void aNameHasOneColourAndItsNumberDoesNotCount();
    void crowdsAreStrongerTheLargerTheyAre();
    void textIsCutBetweenWholeGraphemes();
    void aTextThatWasShortenedGetsNoSecondEllipsis();
};

namespace {

const Palette *kBoth[] = {&Palette::light(), &Palette::dark()};

/// A colour as a dichromat sees it (Viénot, Brettel and Mollon 1999), computed in linear light.
QRgb seenBy(QRgb colour, bool protanope)
{
    const auto linear = [](int v) { return std::pow(v / 255.0, 2.2); };
    const auto back = [](double v) {
        return static_cast<int>(std::lround(255 * std::pow(std::clamp(v, 0.0, 1.0), 1 / 2.2)));
    };
    const double r = linear(qRed(colour)), g = linear(qGreen(colour)), b = linear(qBlue(colour));
    const double both = protanope ? 0.11238 * r + 0.88762 * g : 0.29275 * r + 0.70725 * g;
    const double blue = protanope ? 0.00401 * r - 0.00401 * g + b : -0.02234 * r + 0.02234 * g + b;
    return qRgb(back(both), back(both), back(blue));
}

double distance(QRgb a, QRgb b)
{
    const auto lab = [](QRgb colour) {
        const auto linear = [](int v) {
            const double c = v / 255.0;
            return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        };
        const double r = linear(qRed(colour)), g = linear(qGreen(colour)), bl = linear(qBlue(colour));
        const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16.0 / 116; };
        const double x = f((0.4124 * r + 0.3576 * g + 0.1805 * bl) / 0.95047);
        const double y = f(0.2126 * r + 0.7152 * g + 0.0722 * bl);
        const double z = f((0.0193 * r + 0.1192 * g + 0.9505 * bl) / 1.08883);
        return std::array<double, 3>{116 * y - 16, 500 * (x - y), 200 * (y - z)};
    };
    const auto p = lab(a), q = lab(b);
    return std::sqrt(std::pow(p[0] - q[0], 2) + std::pow(p[1] - q[1], 2) + std::pow(p[2] - q[2], 2));
}

} // namespace

void PaletteTest::textOnEverySliceCanBeRead()
{
    for (const Palette *palette : kBoth)
        for (const QRgb colour : palette->sliceColours())
            QVERIFY(Palette::contrast(Palette::textOn(colour), colour) >= 4.5);
}

void PaletteTest::textOfTheInterfaceCanBeRead()
{
    for (const Palette *p : kBoth) {
        for (const QRgb behind : {p->canvas, p->laneAlternate, p->heading, p->gpuHeading, p->step[0], p->step[1]}) {
            QVERIFY(Palette::contrast(p->text, behind) >= 7);
            QVERIFY2(Palette::contrast(p->dimText, behind) >= 4.5,
                     qPrintable(QStringLiteral("%1 on %2").arg(p->dimText, 0, 16).arg(behind, 0, 16)));
        }
        for (const QRgb colour : p->sliceColours())
            QVERIFY2(Palette::contrast(p->dimText, p->dimmed(colour)) >= 3, "dimmed slices");
        for (const ClassFill &one : classFills())
            QVERIFY2(Palette::contrast(p->dimText, p->dimmed(p->edition(one.fill))) >= 3, "dimmed classes");
        QVERIFY(Palette::contrast(p->mark, p->canvas) >= 4.5);
        QVERIFY(Palette::contrast(Palette::textOn(p->areaEdge), p->areaEdge) >= 4.5);
    }
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        const QPalette palette = themePalette(kind);
        using Roles = std::pair<QPalette::ColorRole, QPalette::ColorRole>;
        for (const auto &[ink, paper] :
             {Roles{QPalette::WindowText, QPalette::Window}, Roles{QPalette::Text, QPalette::Base},
              Roles{QPalette::Text, QPalette::AlternateBase}, Roles{QPalette::ButtonText, QPalette::Button},
              Roles{QPalette::ToolTipText, QPalette::ToolTipBase}, Roles{QPalette::Link, QPalette::Base},
              Roles{QPalette::HighlightedText, QPalette::Highlight}})
            QVERIFY2(Palette::contrast(palette.color(ink).rgb(), palette.color(paper).rgb()) >= 4.5,
                     qPrintable(QStringLiteral("role %1 on %2").arg(ink).arg(paper)));
    }
}

void PaletteTest::boxesAndWhatIsOnStandOut()
{
    const auto edgeOf = [](QWidget &widget) {
        widget.resize(80, 30);
        return widget.grab().toImage().pixel(40, 0);
    };
    const auto middleOf = [](QToolButton &button) { return button.grab().toImage().pixel(6, 15); }; // not on the text
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        applyTheme(kind);
        const QRgb window = QApplication::palette().color(QPalette::Window).rgb();
        QLineEdit box;
        QVERIFY(Palette::contrast(edgeOf(box), window) >= 3);
        QToolButton button;
        button.setText(QStringLiteral("on"));
        button.setCheckable(true);
        for (const bool isFlat : {false, true}) {
            button.setAutoRaise(isFlat);
            button.setChecked(false);
            edgeOf(button);
            const QRgb off = middleOf(button);
            button.setChecked(true);
            QVERIFY(Palette::contrast(edgeOf(button), window) >= 3);
            QVERIFY2(distance(middleOf(button), off) > 15,
                     qPrintable(QString::number(distance(middleOf(button), off))));
            QVERIFY(Palette::contrast(QApplication::palette().color(QPalette::ButtonText).rgb(), middleOf(button)) >=
                    4.5);
        }
    }
}

void PaletteTest::slicesStandOutFromTheCanvas()
{
    for (const Palette *palette : kBoth)
        for (const QRgb colour : palette->sliceColours())
            QVERIFY2(distance(colour, palette->canvas) > 20, qPrintable(QString::number(colour, 16)));
}

void PaletteTest::allColoursDifferForColourBlindEyes()
{
    for (const Palette *palette : kBoth)
        for (const bool protanope : {false, true})
            for (size_t a = 0; a < palette->sliceColours().size(); ++a)
                for (size_t b = a + 1; b < palette->sliceColours().size(); ++b) {
                    const QRgb one = palette->sliceColours()[a], two = palette->sliceColours()[b];
                    QVERIFY2(distance(seenBy(one, protanope), seenBy(two, protanope)) > 5,
                             qPrintable(QStringLiteral("%1 and %2").arg(one, 0, 16).arg(two, 0, 16)));
                }
}

void PaletteTest::bothEditionsHaveTheSameHues()
{
    const auto compare = [](const std::vector<QRgb> &light, const std::vector<QRgb> &dark) {
        QCOMPARE(light.size(), dark.size());
        for (size_t at = 0; at < light.size(); ++at) {
            const QColor one = QColor::fromRgb(light[at]), two = QColor::fromRgb(dark[at]);
            if (std::min(one.hsvSaturationF(), two.hsvSaturationF()) < 0.15f)
                continue; // the hue of a grey means little
            const int apart = std::abs(one.hsvHue() - two.hsvHue());
            QVERIFY2(std::min(apart, 360 - apart) <= 12,
                     qPrintable(QStringLiteral("%1: %2 and %3").arg(at).arg(one.name(), two.name())));
        }
    };
    compare(Palette::light().sliceColours(), Palette::dark().sliceColours());
    compare(Palette::light().seriesColours(), Palette::dark().seriesColours());
}

void PaletteTest::aNameHasOneColourAndItsNumberDoesNotCount()
{
    QCOMPARE(Palette::colourIndex("ProfilerStep#1"), Palette::colourIndex("ProfilerStep#1234"));
    QCOMPARE(Palette::colourIndex("aten::mm"), Palette::colourIndex("aten::mm"));
    QSet<int> used;
    for (int i = 0; i < 500; ++i)
        used.insert(Palette::colourIndex("aten::op_" + std::to_string(i) + "_kernel"));
    QCOMPARE(used.size(), static_cast<qsizetype>(Palette::light().sliceColours().size()));
}

void PaletteTest::crowdsAreStrongerTheLargerTheyAre()
{
    for (const Palette *palette : kBoth) {
        const QRgb colour = palette->slice(0);
        QCOMPARE(palette->crowded(colour, 1), colour);
        QVERIFY(distance(palette->crowded(colour, 4096), colour) > distance(palette->crowded(colour, 4), colour));
    }
}

void PaletteTest::textIsCutBetweenWholeGraphemes()
{
    const QFontMetrics metrics{QFont()};
    const QString ellipsis(QChar(0x2026));
    for (const QString &text :
         {QStringLiteral("前向传播 アテンション 모델"), QStringLiteral("👩‍👩‍👧 family 😀😀😀 emoji"),
          QStringLiteral("e\u0301e\u0301e\u0301 combining"), QStringLiteral("plain kernel name")}) {
        for (int width = 0; width < metrics.horizontalAdvance(text) + 10; width += 3) {
            const QString cut = elided(text, metrics, width);
            QVERIFY(metrics.horizontalAdvance(cut) <= width || cut.isEmpty());
            if (cut.isEmpty() || cut == text)
                continue;
            QVERIFY(cut.endsWith(ellipsis));
            const QString kept = cut.chopped(1);
            QVERIFY(text.startsWith(kept));
            QVERIFY(kept.isEmpty() || !kept.back().isHighSurrogate());
            QVERIFY(text.size() == kept.size() || text[kept.size()] != QChar(0x0301));
        }
    }
}

void PaletteTest::aTextThatWasShortenedGetsNoSecondEllipsis()
{
    const QFontMetrics metrics{QFont()};
    const QString text = QStringLiteral("void cutlass::Kernel<…>(Params, int)");
    for (int width = 0; width <= metrics.horizontalAdvance(text); ++width) {
        const QString cut = elided(text, metrics, width);
        QVERIFY(metrics.horizontalAdvance(cut) <= width || cut.isEmpty());
        QVERIFY(cut.isEmpty() || cut.count(QChar(0x2026)) == 1);
        QVERIFY(text.startsWith(cut.section(QChar(0x2026), 0, 0)) && text.endsWith(cut.section(QChar(0x2026), 1, 1)));
    }
    const QString half = elided(text, metrics, metrics.horizontalAdvance(text) / 2);
    QVERIFY2(half.startsWith(QLatin1String("void")) && half.endsWith(QLatin1String("nt)")), qPrintable(half));
}

RIFFLE_WIDGET_TEST(PaletteTest)
#include "palette_test.moc"
