// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPalette>

class QApplication;

namespace riffle {

enum class ThemeKind { Light, Dark };

/// Riffle's own palettes for the Fusion style, the same on every desktop.
QPalette themePalette(ThemeKind kind);
/// The theme that matches the desktop's own palette.
ThemeKind systemTheme();
/// Sets the style, palette and tool tip colours of the whole application. May be called again to switch.
void applyTheme(ThemeKind kind);

} // namespace riffle
