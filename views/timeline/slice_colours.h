// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/layout/colours.h"
#include "model/layout/row_boxes.h"
#include "model/trace/trace.h"
#include "model/trace/work_class.h"

#include <memory>
#include <vector>

namespace riffle {

/// The property of a slice that its colour shows.
enum class ColourMode : uint8_t {
    Class, ///< the kind of work; the name in traces that are not of machine learning
    Name
};

/// The colours of the slices of one trace. Those of names are looked up by StringId and computed on first use.
class SliceColours {
public:
    void reset(const Trace *trace)
    {
        m_trace = trace;
        m_names.assign(trace ? trace->strings.count() : 0, kUnknown);
    }
    /// Chooses what the colours show; `classes` may be null if the trace's are not known yet.
    void setMode(ColourMode mode, const WorkClasses *classes)
    {
        m_mode = mode;
        m_classes = classes;
    }
    /// The index of a slice's colour: first the rows of nameColours(), then those of classFills().
    size_t index(const Box &box)
    {
        switch (m_mode) {
        case ColourMode::Name: break;
        case ColourMode::Class:
            if (!m_classes)
                return nameColours().size();
            if (!m_classes->slices.empty())
                return nameColours().size() + classFillRow(m_classes->of(box.slice), name(box.name));
        }
        return name(box.name);
    }

private:
    uint8_t name(uint32_t name)
    {
        if (name >= m_names.size())
            return 0;
        uint8_t &colour = m_names[name];
        if (colour == kUnknown)
            colour = nameColour(m_trace->string(name));
        return colour;
    }

    static constexpr uint8_t kUnknown = 0xff;
    const Trace *m_trace = nullptr;
    ColourMode m_mode = ColourMode::Class;
    const WorkClasses *m_classes = nullptr;
    std::vector<uint8_t> m_names;
};

} // namespace riffle
