// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_memory.h"
#include "collector/src/sources/python_text.h"

#include <cstdlib>
#include <memory>

namespace riffle::collector {

/// A mark that tells two code objects apart that had the same address one after the other, so that an address is known
/// only as long as its code object lives. From 3.12 on the mark is the number that Python gives every code object.
/// Before, it comes from the pointers and the contents; for code without a source file, which is what programs make and
/// drop in loops, from all of the file name and the line table, otherwise from their lengths and ends.
uint64_t markOfPythonCode(const PythonLayout &layout, const PythonTypes &types, PythonAddress code);

/// The code objects that one thread has seen: a cache of four ways, which forgets the oldest of a set. A forgotten
/// code object gets a new id when it is seen again.
class PythonCodes {
public:
    static constexpr uint32_t kHidden = 0; ///< the id of code of the interpreter itself, which Python does not show

    bool allocate(); ///< false if there is no memory
    /// The id of a code object; nullptr if it is not known.
    const uint32_t *find(PythonAddress code, uint64_t mark) const;
    void forget();
    void add(PythonAddress code, uint64_t mark, uint32_t id);

private:
    struct Known {
        PythonAddress code;
        uint64_t mark;
        uint32_t id;
    };
    struct Set {
        Known known[4];
    };
    static constexpr uint32_t kSets = 1024;
    Set &setOf(PythonAddress code) const
    {
        return m_sets.get()[reinterpret_cast<uint64_t>(code) * 0x9E3779B97F4A7C15u >> 54];
    }
    struct Free {
        void operator()(Set *sets) const { std::free(sets); }
    };
    std::unique_ptr<Set[], Free> m_sets;
    static_assert(kSets == 1u << 10);
};

} // namespace riffle::collector
