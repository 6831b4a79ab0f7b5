// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace riffle {

/// Watches the room on the disk of a folder while something is written there.
class DiskRoom {
public:
    /// `leastFree` bytes stay free.
    DiskRoom(std::filesystem::path folder, uint64_t leastFree) : m_folder(std::move(folder)), m_leastFree(leastFree) {}

    /// True if much more than the `written` bytes would leave too little room. Asks the system only now and then.
    bool isUsedUp(uint64_t written)
    {
        constexpr uint64_t kBetweenLooks = 64 << 20; ///< bytes
        if (written < m_nextLook)
            return false;
        m_nextLook = written + kBetweenLooks;
        std::error_code failed;
        const std::filesystem::space_info space = std::filesystem::space(m_folder, failed);
        return !failed && space.available < m_leastFree + kBetweenLooks;
    }

private:
    std::filesystem::path m_folder;
    uint64_t m_leastFree;
    uint64_t m_nextLook = 0;
};

} // namespace riffle
