// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_classes.h"
#include "model/base/big_vector.h"
#include "model/trace/trace.h"

#include <span>
#include <vector>

namespace riffle {

/// A piece of a thread's time, and the innermost slice that covers it.
struct HostPiece {
    TimeSpan span;
    uint32_t slice = 0; ///< SliceId
    SliceClass kind = SliceClass::Other;
    bool working = false; ///< inside an operator, a runtime call or data loading, not only in a frame or an annotation
};

/// The pieces of one thread inside a window. Between the pieces nothing was recorded; step marks are ignored. The
/// pieces of a long window take hundreds of megabytes, so they stay in the parts in which they were cut.
class ThreadPieces {
public:
    /// The pieces of one part of the window.
    struct Part {
        BigVector<HostPiece> pieces;
        size_t first = 0; ///< 1 if the first piece continues the last one of the part before, which then includes it
        /// For every kBlock-th piece, the last working piece before it, or kNone. (One per piece would take more memory
        /// than the search saves time.)
        BigVector<uint32_t> workingBefore;
        bool hasOperators = false;
    };
    static constexpr uint32_t kBlock = 64;
    static constexpr uint32_t kNone = UINT32_MAX;

    explicit ThreadPieces(std::vector<Part> parts);

    size_t count() const { return m_count; }
    bool hasOperators() const { return m_hasOperators; }
    /// The last piece that starts before a time, of all pieces or of the working ones; null if there is none.
    const HostPiece *lastBefore(Ns time) const;
    const HostPiece *lastWorkingBefore(Ns time) const;
    /// Calls visit(piece) for all pieces, in order of time.
    template <typename Visit>
    void forEach(Visit visit) const
    {
        for (const Part &part : m_parts)
            for (size_t at = part.first; at < part.pieces.size(); ++at)
                visit(part.pieces[at]);
    }

private:
    struct Place {
        size_t part;
        size_t behind; ///< the index behind the piece
    };
    Place placeBefore(Ns time) const;

    std::vector<Part> m_parts; ///< none is empty
    size_t m_count = 0;
    bool m_hasOperators = false;
};

/// Cuts the slices of each lane into pieces, in parallel: parts of the window that hold `slicesPerPart` slices on
/// average. The result does not depend on the parts. It is unusable if `stop` was requested.
std::vector<ThreadPieces> cutThreads(const Trace &trace, const SliceClasses &classes, std::span<const LaneId> lanes,
                                     TimeSpan window, size_t slicesPerPart = 1 << 17);

} // namespace riffle
