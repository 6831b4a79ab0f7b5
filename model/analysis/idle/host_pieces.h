// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <optional>
#include <span>

namespace riffle {

/// A piece of a thread's time, and the innermost slice that covers it.
struct HostPiece {
    TimeSpan span;
    uint32_t slice = 0; ///< SliceId
    SliceClass kind = SliceClass::Other;
    bool working = false; ///< inside an operator, a runtime call or data loading, not only in a frame or an annotation
};

/// The pieces of one thread inside a window. Between the pieces nothing was recorded; step marks are ignored.
class ThreadPieces {
public:
    /// Cuts parts of the window in parallel, which hold `slicesPerPart` slices on average.
    ThreadPieces(const Trace &trace, const SliceClasses &classes, LaneId lane, TimeSpan window,
                 size_t slicesPerPart = 1 << 16);

    std::span<const HostPiece> pieces() const { return m_pieces; }
    bool hasOperators() const { return m_hasOperators; }
    /// The index of the last piece that starts before a time: of all pieces, or of the working ones.
    std::optional<size_t> lastBefore(Ns time) const;
    std::optional<size_t> lastWorkingBefore(Ns time) const;

private:
    BigVector<HostPiece> m_pieces;
    BigVector<uint32_t> m_working; ///< per piece: the last working piece up to and including it, or UINT32_MAX
    bool m_hasOperators = false;
};

} // namespace riffle
