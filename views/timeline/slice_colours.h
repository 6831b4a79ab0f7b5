// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace.h"
#include "views/common/look/palette.h"

#include <vector>

namespace riffle {

/// The colours of the names of one trace, looked up by StringId and computed on first use.
class SliceColours {
public:
    void reset(const Trace *trace)
    {
        m_trace = trace;
        m_indices.assign(trace ? trace->strings.count() : 0, kUnknown);
    }
    /// The index into Palette::sliceColours().
    uint8_t index(uint32_t name)
    {
        if (name >= m_indices.size())
            return 0;
        uint8_t &index = m_indices[name];
        if (index == kUnknown)
            index = Palette::colourIndex(m_trace->string(name));
        return index;
    }

private:
    static constexpr uint8_t kUnknown = 0xff;
    const Trace *m_trace = nullptr;
    std::vector<uint8_t> m_indices;
};

} // namespace riffle
