// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace riffle::collector {

/// The places from which the libraries whose file names start with a prefix take the address of one exported function
/// that they call (entries of their global offset tables). Calls inside a library that the linker has resolved already
/// are not among them.
class CallSlots {
public:
    /// Finds the places for the symbol.
    CallSlots(std::string_view prefix, std::string_view symbol);

    bool empty() const { return m_slots.empty(); }
    /// Makes all places lead to `function`; false, with nothing changed, if one of them cannot be written.
    bool redirect(void *function);
    /// Undoes redirect(), except where somebody else has changed the place since.
    void restore();

private:
    struct Slot {
        void **place;
        bool readOnly; ///< the loader has made its page read-only
        void *original;
    };
    static bool write(const Slot &slot, void *function);

    std::vector<Slot> m_slots;
    void *m_function = nullptr; ///< while redirected
};

} // namespace riffle::collector
