// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/flow_links.h"
#include "model/trace/trace_set.h"
#include "views/common/look/palette.h"

#include <QRectF>

#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace riffle {

/// The arrows that start or end at the selected slice, from the end of one slice to the start of the other.
class FlowOverlay {
public:
    /// The place of a slice in the picture, even if it is out of view; none if its lane is not shown.
    using RectOf = std::function<std::optional<QRectF>(SliceRef)>;

    void setSelection(const TraceSet &set, SliceRef selected);
    bool empty() const { return m_links.empty(); }
    void paint(QPainter &painter, const QRectF &view, const Palette &palette, const RectOf &rectOf) const;

private:
    TraceId m_trace;
    std::vector<FlowLink> m_links;
};

} // namespace riffle
