// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/icicle.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace riffle {

/// A flame graph: a tree of frames, outermost on top, and its texts. Texts may contain anything that a file contains;
/// the pictures escape it.
struct FlameGraph {
    IcicleTree tree;
    std::string title;                         ///< a sentence above the boxes
    std::function<std::string(uint32_t)> name; ///< the text on the box of a node, which also determines its colour
    /// The tool tip of a node and its next `count` − 1 siblings, which share a box.
    std::function<std::string(uint32_t node, uint32_t count)> tip;
};

/// Returns a flame graph as an <svg> element for a document with the classes of timelineSvg(); boxes of several frames
/// have the class of the last colour of seriesColours(), which is grey. Frames narrower than half a pixel have no box
/// of their own, and a sentence below the title says how many they are.
std::string flameSvg(const FlameGraph &graph, double width);

/// Returns flame graphs, one below the other, as a complete SVG file with colours for light and dark screens.
std::string flameFile(std::span<const FlameGraph> graphs, double width);

} // namespace riffle
