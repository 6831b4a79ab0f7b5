// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/slice_tints.h"
#include "model/layout/colours.h"
#include "model/layout/row_boxes.h"
#include "model/trace/trace.h"
#include "model/trace/work_class.h"

#include <array>
#include <memory>
#include <vector>

namespace riffle {

/// Null for traces whose tints are not known yet.
using SetTints = PerTrace<std::shared_ptr<const SliceTints>>;

/// The class whose fill stands for an order of magnitude of durations.
inline WorkClass durationFill(size_t tint)
{
    constexpr std::array<WorkClass, kDurationTints> kFills{WorkClass::OtherHost,      WorkClass::OtherCompute,
                                                           WorkClass::MatrixProducts, WorkClass::Attention,
                                                           WorkClass::DataLoading,    WorkClass::Communication};
    return kFills[tint];
}

/// The colours of the slices of one trace. Those of names are looked up by StringId and computed on first use.
class SliceColours {
public:
    void reset(const Trace *trace)
    {
        m_trace = trace;
        m_names.assign(trace ? trace->strings.count() : 0, kUnknown);
        m_classOfName.clear();
    }
    /// The trace has more slices and names now; all ids stay.
    void grow(const Trace *trace)
    {
        m_trace = trace;
        m_names.resize(trace->strings.count(), kUnknown);
    }
    /// Chooses what the colours show; `classes` and `tints` may be null if the trace's are not known yet. `since` is
    /// the column of WorkClasses::since.
    void setMode(ColourMode mode, const WorkClasses *classes, const SliceTints *tints, int64_t since)
    {
        m_mode = mode;
        m_classes = classes;
        m_tints = tints;
        m_since = since;
    }
    /// The index of a slice's colour: first the rows of nameColours(), then those of classFills().
    size_t index(const Box &box)
    {
        switch (m_mode) {
        case ColourMode::Name: return name(box.name);
        case ColourMode::Class:
            if (!m_classes)
                return nameColours().size();
            if (!m_classes->slices.empty())
                return nameColours().size() + classFillRow(classOf(box), name(box.name));
            return name(box.name);
        case ColourMode::Lane:
        case ColourMode::Step:
        case ColourMode::Duration:
        case ColourMode::Annotation: break;
        }
        const uint8_t tint = m_tints ? m_tints->at(box.slice, kNoTint) : kNoTint;
        if (tint == kNoTint)
            return nameColours().size(); // the fill of slices without a class
        return m_mode == ColourMode::Duration ? nameColours().size() + classFillRow(durationFill(tint)) : tint;
    }

private:
    /// The class of a slice. One that came after the classes were judged gets the class of the last slice with its
    /// name, or of the one before it in the row, until they are judged again. For those that are too old to be judged,
    /// such a guess would change with what was drawn last.
    WorkClass classOf(const Box &box)
    {
        const bool isKnown = m_classes->slices.has(box.slice);
        if (!isKnown && box.x1 <= m_since)
            return m_classes->ofOlder(box.name);
        const WorkClass known = isKnown ? m_classes->of(box.slice) : WorkClass::None;
        if (box.name >= m_names.size())
            return known;
        if (m_classOfName.size() < m_names.size())
            m_classOfName.resize(m_names.size(), WorkClass::None);
        WorkClass &ofName = m_classOfName[box.name];
        if (isKnown)
            m_lastClass = ofName = known;
        return isKnown || ofName != WorkClass::None ? ofName : m_lastClass;
    }
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
    const SliceTints *m_tints = nullptr;
    int64_t m_since = INT64_MIN;
    std::vector<uint8_t> m_names;
    std::vector<WorkClass> m_classOfName; ///< by StringId
    WorkClass m_lastClass = WorkClass::None;
};

} // namespace riffle
