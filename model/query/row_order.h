// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/big_vector.h"
#include "model/base/seeded_hash.h"

#include <optional>
#include <span>
#include <vector>

namespace riffle {

/// Rows in the order of one integer, such as a duration. Rows are named by their place: trace << 32 | row. Only as much
/// is sorted as is read, so the first few of many rows come after one pass.
class SortedPlaces {
public:
    static constexpr size_t kBytesPerRow = 16;

    explicit SortedPlaces(bool descending) : m_descending(descending) {}

    void add(int64_t key, uint64_t place) { m_entries.push_back({key, place}); }
    /// The memory that the rows take, roughly.
    uint64_t bytes() const { return m_entries.size() * kBytesPerRow; }
    /// Returns the next place. Rows with equal keys come in the order of their places.
    std::optional<uint64_t> next();

private:
    struct Entry {
        int64_t key;
        uint64_t place;
    };
    bool before(const Entry &left, const Entry &right) const;

    bool m_descending;
    BigVector<Entry> m_entries;
    size_t m_next = 0;
    size_t m_sorted = 0; ///< the entries before this one are sorted and smaller than all others
    size_t m_piece = 1 << 12;
};

/// Rows in the order of several keys that have few different values. First the key of every row is counted by add(),
/// then close() is called, and then place() once per row, in the same order.
class GroupedPlaces {
public:
    static constexpr size_t kBytesPerRow = 12;
    static constexpr size_t kBytesPerGroup = 128; ///< roughly, with its place in the tables of numbers

    /// One element per key: true if its order is descending.
    explicit GroupedPlaces(std::vector<bool> descending);

    /// `keys` has one element per key of the order.
    void add(std::span<const int64_t> keys);
    uint64_t bytes() const { return m_groups.size() * kBytesPerRow + m_begins.size() * kBytesPerGroup; }
    void close();
    void place(uint64_t place);
    /// Returns the next place. Rows with equal keys come in the order in which they were added.
    std::optional<uint64_t> next();

private:
    uint32_t groupOf(std::span<const int64_t> keys);

    /// Numbers the different values of one key in the order in which they are seen.
    class Numbering {
    public:
        uint32_t of(int64_t key);

    private:
        std::vector<uint32_t> m_small; ///< by key: its number plus 1; 0 if it is new
        SeededMap<int64_t, uint32_t> m_others;
        uint32_t m_count = 0;
    };
    std::vector<bool> m_descending;
    std::vector<Numbering> m_keys;    ///< per key
    std::vector<Numbering> m_pairs;   ///< per key but the first: the keys before it, with it
    std::vector<int64_t> m_groupKeys; ///< per group, its keys one after another
    std::vector<uint64_t> m_begins;   ///< per group: its number of rows, then the index of its next row
    BigVector<uint32_t> m_groups;     ///< per row
    BigVector<uint64_t> m_places;
    size_t m_placed = 0, m_next = 0;
};

} // namespace riffle
