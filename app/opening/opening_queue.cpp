// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/opening/opening_queue.h"

#include <algorithm>
#include <cassert>

namespace riffle {

OpeningQueue::OpeningQueue(size_t files, size_t mostAtOnce) : m_mostAtOnce(std::max<size_t>(mostAtOnce, 1))
{
    for (size_t file = 0; file < files; ++file)
        m_waiting.push_back(file);
}

void OpeningQueue::lookAt(size_t file)
{
    const auto found = std::find(m_waiting.begin(), m_waiting.end(), file);
    if (found != m_waiting.end())
        std::rotate(m_waiting.begin(), found, found + 1);
}

std::optional<size_t> OpeningQueue::take()
{
    if (m_waiting.empty() || m_reading >= (m_anyOpen ? m_mostAtOnce : 1))
        return std::nullopt;
    const size_t file = m_waiting.front();
    m_waiting.pop_front();
    ++m_reading;
    return file;
}

void OpeningQueue::end(bool isOpen)
{
    assert(m_reading > 0);
    --m_reading;
    m_anyOpen = m_anyOpen || isOpen;
}

} // namespace riffle
