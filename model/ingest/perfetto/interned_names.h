// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/seeded_hash.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace riffle {

/// The texts that the packets of one sequence refer to by number, in a number space for each kind of text.
class InternedNames {
public:
    enum class Kind : uint8_t { Category, Event, Annotation, Text, Stage, Kernel, KernelArgument, Count };
    /// The counters of a GPU: their names, by id.
    struct GpuCounters {
        int64_t gpu = 0;
        std::unordered_map<uint64_t, std::string> names;
    };

    /// Adds the texts of an InternedData message and returns the bytes of memory that they take. Damaged entries are
    /// left out; `broken` counts them.
    uint64_t add(std::string_view internedData, uint64_t &broken);
    void clear();

    /// Null if there is no such text.
    const std::string *find(Kind kind, uint64_t iid) const;
    /// The category of a stage of a GPU: 2 is compute.
    uint64_t stageCategory(uint64_t iid) const;
    const GpuCounters *counters(uint64_t iid) const;

    /// Reads the specifications of a GpuCounterDescriptor message.
    static void addCounterNames(std::string_view descriptor, GpuCounters &counters);

private:
    using Texts = SeededMap<uint64_t, std::string>;
    uint64_t addCounters(std::string_view entry, uint64_t &broken);

    Texts m_texts[static_cast<size_t>(Kind::Count)];
    SeededMap<uint64_t, uint64_t> m_stageCategories;
    SeededMap<uint64_t, GpuCounters> m_counters;
};

} // namespace riffle
