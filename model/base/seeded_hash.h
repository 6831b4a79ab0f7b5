// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace riffle {

/// Returns a number that differs between runs of the program and is the same throughout a run.
uint64_t hashSeed();

/// The hash of a number that a file chooses, such as an address. Whoever knows a hash can write a small file whose
/// numbers all fall into one place of the table, so that each look-up searches all of them. This hash depends on the
/// run, so nobody knows it. The order of such a table's entries differs between runs, too: sort before showing them.
class SeededHash {
public:
    SeededHash();
    size_t operator()(uint64_t key) const
    {
        __extension__ using Wide = unsigned __int128;
        const Wide product = static_cast<Wide>(key ^ m_mask) * m_factor;
        // Tables use the low bits, which keys with many trailing zeros leave alike without a second multiplication.
        const uint64_t mixed =
            (static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64)) * 0x9E3779B97F4A7C15;
        return mixed ^ (mixed >> 32);
    }

private:
    uint64_t m_mask, m_factor;
};

/// Tables whose keys a file chooses.
template <class Key, class Value>
using SeededMap = std::unordered_map<Key, Value, SeededHash>;
template <class Key>
using SeededSet = std::unordered_set<Key, SeededHash>;

} // namespace riffle
