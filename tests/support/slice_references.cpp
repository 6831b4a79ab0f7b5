// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/slice_references.h"

#include <fmt/format.h>

#include <optional>

namespace riffle::test {

void SliceReferences::takeSome(const Trace &trace)
{
    for (int count = 0; count < 40 && m_known.size() < kMost && !trace.segments.empty(); ++count) {
        const Segment &segment = *trace.segments[m_random() % trace.segments.size()];
        const uint32_t index = static_cast<uint32_t>(m_random() % segment.size());
        m_known.try_emplace(segment.idAt(index), meaningOf(trace, segment.idAt(index)));
    }
}

std::string SliceReferences::check(const Trace &trace)
{
    for (auto &[id, meaning] : m_known) {
        if (trace.report.of(Trouble::LeftWindow).count > 0 && !trace.slice(id))
            continue;
        const Meaning now = meaningOf(trace, id);
        if (meaning.address == 0)
            meaning.address = now.address;
        if (now != meaning)
            return fmt::format("id {} was ({}, lane {}, {}) and is ({}, lane {}, {})", id.value, meaning.start,
                               meaning.lane.value, meaning.address, now.start, now.lane.value, now.address);
    }
    return {};
}

SliceReferences::Meaning SliceReferences::meaningOf(const Trace &trace, SliceId id)
{
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return {};
    const bool isOpen = slice->data.flags & slice_flag::Unfinished;
    return {slice->data.start, slice->lane, isOpen ? 0 : slice->data.sourceOffset};
}

} // namespace riffle::test
