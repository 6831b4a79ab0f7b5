// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/common/look/theme.h"

#include "views/common/look/palette.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QPainter>
#include <QProxyStyle>
#include <QStyleFactory>
#include <QStyleOption>
#include <QToolTip>

namespace riffle {

namespace {

/// Fusion draws the edges of text boxes and check boxes darker than the window, and checked tool buttons darker than
/// unchecked ones. On a dark window none of them is visible, so this style draws them itself.
class VisibleFusion : public QProxyStyle {
public:
    VisibleFusion() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

    void drawPrimitive(PrimitiveElement element, const QStyleOption *option, QPainter *painter,
                       const QWidget *widget) const override
    {
        if (element == PE_FrameFocusRect && !qobject_cast<const QAbstractItemView *>(widget)) {
            if (option->state & State_KeyboardFocusChange)
                drawFocus(*option, painter);
            return;
        }
        if (element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck) {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            drawBox(*option, painter);
            return;
        }
        const bool isOnButton = element == PE_PanelButtonTool && option->state & State_On;
        if (element != PE_FrameLineEdit && !isOnButton) {
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            return;
        }
        const Palette &own = Palette::fitting(option->palette);
        const bool stands = isOnButton || option->state & State_HasFocus;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QColor::fromRgb(stands ? own.accent : own.edge));
        if (isOnButton)
            painter->setBrush(
                QColor::fromRgb(Palette::mixed(option->palette.color(QPalette::Button).rgb(), own.accent, kOfAccent)));
        painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
        painter->restore();
    }

private:
    static void drawBox(const QStyleOption &option, QPainter *painter)
    {
        const Palette &own = Palette::fitting(option.palette);
        if (!own.isDark || !(option.state & State_Enabled))
            return;
        painter->save();
        painter->setPen(QColor::fromRgb(own.edge));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
        painter->restore();
    }

    /// Fusion's own focus rectangle is hard to see.
    static void drawFocus(const QStyleOption &option, QPainter *painter)
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(QColor::fromRgb(Palette::fitting(option.palette).accent), 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(QRectF(option.rect).adjusted(1, 1, -1, -1), 2, 2);
        painter->restore();
    }

    static constexpr double kOfAccent = 0.3;
};

} // namespace

QPalette themePalette(ThemeKind kind)
{
    const bool dark = kind == ThemeKind::Dark;
    const Palette &own = dark ? Palette::dark() : Palette::light();
    QPalette palette;
    palette.setColor(QPalette::Window, dark ? QColor(0x1a1f25) : QColor(0xf4f6f8));
    palette.setColor(QPalette::WindowText, QColor::fromRgba(own.text));
    palette.setColor(QPalette::Base, QColor::fromRgba(own.canvas));
    palette.setColor(QPalette::AlternateBase, dark ? QColor(0x1b2027) : QColor(0xf6f8fa));
    palette.setColor(QPalette::Text, QColor::fromRgba(own.text));
    palette.setColor(QPalette::PlaceholderText, QColor::fromRgba(own.dimText));
    palette.setColor(QPalette::Button, dark ? QColor(0x262d36) : QColor(0xe9edf2));
    palette.setColor(QPalette::ButtonText, QColor::fromRgba(own.text));
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::ToolTipBase, dark ? QColor(0x2b333d) : QColor(0xffffff));
    palette.setColor(QPalette::ToolTipText, QColor::fromRgba(own.text));
    palette.setColor(QPalette::Highlight, dark ? QColor(0x2a6cb0) : QColor(0x1766c2));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor::fromRgba(own.accent));
    palette.setColor(QPalette::LinkVisited, QColor::fromRgba(own.accent));
    palette.setColor(QPalette::Light, dark ? QColor(0x333c47) : QColor(0xffffff));
    palette.setColor(QPalette::Midlight, dark ? QColor(0x2b333d) : QColor(0xf0f3f6));
    palette.setColor(QPalette::Mid, dark ? QColor(0x20262d) : QColor(0xc9d1da));
    palette.setColor(QPalette::Dark, dark ? QColor(0x101419) : QColor(0xaab4c0));
    palette.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(0x7b8794));
    const QColor off = dark ? QColor(0x66717f) : QColor(0x98a3b0);
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, off);
    palette.setColor(QPalette::Disabled, QPalette::Highlight, palette.color(QPalette::Mid));
    return palette;
}

ThemeKind systemTheme()
{
    return QApplication::palette().color(QPalette::Window).lightness() < 128 ? ThemeKind::Dark : ThemeKind::Light;
}

void applyTheme(ThemeKind kind)
{
    const QPalette palette = themePalette(kind);
    QApplication::setStyle(new VisibleFusion); // takes ownership
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
}

} // namespace riffle
