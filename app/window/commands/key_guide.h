// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <span>
#include <utility>

namespace riffle {

/// A key or a mouse gesture that a view handles itself, and that therefore cannot be changed.
struct Gesture {
    const char *view;  ///< translated in the context riffle::KeyGuide, as are the others
    const char *input; ///< keys are separated by two spaces
    const char *what;
};

/// The gestures of all views, those of one view together. With the keys of the menus, these are all.
std::span<const Gesture> gestures();
QString guideText(const char *text);
/// The keys of the timeline that are needed most, and what each of them does.
QList<std::pair<QString, QString>> usefulKeys();
/// The gesture of a view that a key would be taken from if it became a shortcut of the window; null if there is none.
const Gesture *gestureWith(const QKeySequence &key);

} // namespace riffle
