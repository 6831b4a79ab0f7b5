// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/offset_bounds.h"

#include "model/base/stopping.h"

#include <algorithm>

namespace riffle {

OffsetBounds::OffsetBounds(size_t clocks) : m_clocks(clocks), m_most(clocks * clocks, kNone)
{
    for (size_t clock = 0; clock < clocks; ++clock)
        m_most[clock * clocks + clock] = 0;
}

void OffsetBounds::limit(size_t a, size_t b, Ns most)
{
    Ns &known = m_most[a * m_clocks + b];
    known = std::min(known, most);
}

bool OffsetBounds::close()
{
    for (size_t by = 0; by < m_clocks; ++by) {
        throwIfStopped();
        for (size_t a = 0; a < m_clocks; ++a) {
            const Ns first = m_most[a * m_clocks + by];
            if (first == kNone)
                continue;
            for (size_t b = 0; b < m_clocks; ++b)
                if (const Ns second = m_most[by * m_clocks + b]; second != kNone)
                    limit(a, b, saturatedSum(first, second));
        }
        for (size_t clock = 0; clock < m_clocks; ++clock)
            if (m_most[clock * m_clocks + clock] < 0)
                return false;
    }
    return true;
}

} // namespace riffle
