// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/slice_reader.h"

namespace riffle {

bool SliceReader::seekAnywhere(uint32_t slice)
{
    const SliceId id(slice);
    m_at = m_segment ? m_segment->indexOf(id) : kNoRow;
    if (m_at != kNoRow)
        return true;
    const Trace::Place place = m_trace.placeOf(id);
    m_segment = place.segment;
    m_at = place.index;
    return m_segment != nullptr;
}

} // namespace riffle
