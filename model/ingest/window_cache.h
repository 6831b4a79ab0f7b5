// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace riffle {

/// A stretch of inflated text.
struct TextWindow {
    uint64_t begin = 0;
    std::string text;
    bool contains(uint64_t offset) const { return offset >= begin && offset - begin < text.size(); }
};

/// The few windows that were inflated last. Each SourceText over an archive owns one; usable from any thread.
class WindowCache {
public:
    explicit WindowCache(size_t windows) : m_limit(windows) {}

    std::shared_ptr<const TextWindow> find(uint64_t offset)
    {
        std::scoped_lock lock(m_mutex);
        for (auto it = m_windows.begin(); it != m_windows.end(); ++it) {
            if ((*it)->contains(offset)) {
                std::rotate(m_windows.begin(), it, it + 1);
                return m_windows.front();
            }
        }
        return nullptr;
    }

    std::shared_ptr<const TextWindow> keep(TextWindow window)
    {
        auto shared = std::make_shared<const TextWindow>(std::move(window));
        std::scoped_lock lock(m_mutex);
        m_windows.insert(m_windows.begin(), shared);
        if (m_windows.size() > m_limit)
            m_windows.pop_back();
        return shared;
    }

private:
    const size_t m_limit;
    std::mutex m_mutex;
    std::vector<std::shared_ptr<const TextWindow>> m_windows; ///< newest first
};

/// Puts `length` bytes at `offset` together from the windows that `windowAt(offset)` gives.
template <typename WindowAt>
Result<std::string> readThroughWindows(uint64_t offset, uint32_t length, WindowAt windowAt)
{
    std::string text;
    text.reserve(length);
    while (text.size() < length) {
        const uint64_t at = offset + text.size();
        Result<std::shared_ptr<const TextWindow>> window = windowAt(at);
        if (!window)
            return window.error();
        const auto from = static_cast<size_t>(at - (*window)->begin);
        text.append((*window)->text, from, length - text.size());
    }
    return text;
}

} // namespace riffle
