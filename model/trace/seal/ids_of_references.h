// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/ids.h"
#include "model/trace/seal/gather.h"

#include <bit>
#include <cassert>
#include <cstdint>
#include <span>

namespace riffle {

/// The ids of some slices, found by their references. It takes memory for the wanted slices only: a column with the id
/// of every reference would be as large as a sealed column, at the time when the seal needs most memory.
class IdsOfReferences {
public:
    /// `references` is the number of references that exist. The memory comes from `scratch`, if given, which must
    /// outlive this.
    explicit IdsOfReferences(size_t references, ScratchMemory *scratch = nullptr)
        : m_wanted(scratch)
        , m_before(scratch)
        , m_ids(scratch)
    {
        m_wanted.assign((references + 63) / 64, 0);
        m_before.assign(m_wanted.size() + 1, 0);
    }

    void want(uint32_t reference)
    {
        assert(reference / 64 < m_wanted.size());
        m_wanted[reference / 64] |= bitOf(reference);
    }
    /// Finds the ids of all wanted slices; `order` is the references of all slices in the order of their ids.
    void find(std::span<const uint32_t> order)
    {
        for (size_t word = 0; word < m_wanted.size(); ++word)
            m_before[word + 1] = m_before[word] + static_cast<uint32_t>(std::popcount(m_wanted[word]));
        m_ids.assign(m_before.back(), SliceId::kNone);
        if (m_ids.empty())
            return;
        parallelRanges(order.size(), [&](size_t begin, size_t end) {
            for (size_t id = begin; id < end; ++id)
                if (m_wanted[order[id] / 64] & bitOf(order[id]))
                    m_ids[rankOf(order[id])] = static_cast<uint32_t>(id);
        });
    }
    /// Returns the id of a wanted slice.
    uint32_t idOf(uint32_t reference) const
    {
        assert(m_wanted[reference / 64] & bitOf(reference));
        return m_ids[rankOf(reference)];
    }

private:
    static uint64_t bitOf(uint32_t reference) { return uint64_t{1} << (reference % 64); }
    /// Returns the number of wanted references below this one.
    size_t rankOf(uint32_t reference) const
    {
        const uint64_t below = m_wanted[reference / 64] & (bitOf(reference) - 1);
        return m_before[reference / 64] + static_cast<uint32_t>(std::popcount(below));
    }

    BigVector<uint64_t> m_wanted; ///< one bit per reference
    BigVector<uint32_t> m_before; ///< the number of wanted references before each word, then their total
    BigVector<uint32_t> m_ids;    ///< of the wanted references, in ascending order
};

} // namespace riffle
