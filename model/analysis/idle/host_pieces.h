// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/trace/trace.h"

#include <optional>
#include <vector>

namespace riffle {

/// What a thread did from moment to moment: a time and the innermost slice that covers it.
struct HostPiece {
    TimeSpan span;
    uint32_t slice = 0; ///< SliceId
    SliceClass kind = SliceClass::Other;
    bool working = false; ///< inside an operator, a runtime call or data loading; not just in a frame or an annotation
};

/// One thread inside a window. Times between pieces are those in which nothing was recorded; steps are not looked at.
class ThreadPieces {
public:
    ThreadPieces(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window);

    const std::vector<HostPiece> &pieces() const { return m_pieces; }
    bool hasOperators() const { return m_hasOperators; }
    /// The last piece (its index) that begins before a time; of those that work, if asked.
    std::optional<size_t> lastBefore(Ns time) const;
    std::optional<size_t> lastWorkingBefore(Ns time) const;

private:
    std::vector<HostPiece> m_pieces;
    std::vector<uint32_t> m_working; ///< by piece: the nearest working one up to it, or UINT32_MAX
    bool m_hasOperators = false;
};

} // namespace riffle
