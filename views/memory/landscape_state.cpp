// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/landscape_state.h"

#include "model/analysis/memory/memory_categories.h"
#include "model/analysis/memory/memory_rules.h"

#include <algorithm>
#include <utility>

namespace riffle {

namespace {

struct Made {
    std::shared_ptr<const LandscapeData> data;
    std::shared_ptr<const Landscape> landscape;
};

} // namespace

LandscapeState::LandscapeState(MemorySession *memory, QObject *parent) : QObject(parent), m_memory(memory), m_jobs(this) {}

LandscapeState::~LandscapeState() = default;

void LandscapeState::categorise()
{
    const auto facts = m_memory->facts();
    const auto rules = m_memory->rules();
    if (facts != m_categorised || rules != m_categorisedBy) {
        m_categories.reset();
        m_categorised.reset();
        m_jobs.cancel(QStringLiteral("categories"));
    }
    if (m_memory->colour() != MemorySession::Colour::Category || !facts || facts == m_categorised)
        return;
    m_categorised = facts;
    m_categorisedBy = rules;
    m_jobs.run(
        QStringLiteral("categories"),
        [facts, rules](std::stop_token) { return std::make_shared<const MemoryCategories>(*facts, *rules); },
        [this](std::shared_ptr<const MemoryCategories> made) {
            m_categories = std::move(made);
            emit dataChanged();
        });
}

void LandscapeState::follow()
{
    categorise();
    const auto facts = m_memory->facts();
    const size_t device = m_memory->place().device;
    if (facts == m_wantedFacts && device == m_wantedDevice)
        return;
    m_wantedFacts = facts;
    m_wantedDevice = device;
    if (!m_memory->device()) {
        m_jobs.cancel(QStringLiteral("landscape"));
        take(nullptr, nullptr);
        return;
    }
    m_jobs.run(
        QStringLiteral("landscape"),
        [facts, device, most = static_cast<size_t>(m_most)](std::stop_token stop) {
            const Task task{std::move(stop), nullptr};
            Made made{makeLandscapeData(facts, device, task), nullptr};
            made.landscape = std::make_shared<const Landscape>(made.data->columns, most, task);
            return made;
        },
        [this](Made made) { take(std::move(made.data), std::move(made.landscape)); });
}

void LandscapeState::setMost(int most)
{
    if (most == m_most)
        return;
    m_most = most;
    if (!m_data || m_data->facts != m_wantedFacts || m_data->device != m_wantedDevice) {
        m_wantedFacts = nullptr; // under way with another number
        follow();
        return;
    }
    m_jobs.run(
        QStringLiteral("landscape"),
        [data = m_data, most = static_cast<size_t>(most)](std::stop_token stop) {
            return Made{data, std::make_shared<const Landscape>(data->columns, most, Task{std::move(stop), nullptr})};
        },
        [this](Made made) {
            if (made.data != m_data)
                return;
            m_landscape = std::move(made.landscape);
            emit dataChanged();
        });
}

void LandscapeState::take(std::shared_ptr<const LandscapeData> data, std::shared_ptr<const Landscape> landscape)
{
    m_data = std::move(data);
    m_landscape = std::move(landscape);
    if (m_data) {
        m_axis = m_wantsTime && canBeTimed() ? SlotAxis(m_data->times) : SlotAxis(m_data->columns.slotCount);
        m_range = confined(m_axis.whole(), bounds());
        m_bottom = 0;
        m_top = wholeTop();
    }
    emit dataChanged();
    emit sightChanged();
}

void LandscapeState::setTimed(bool on)
{
    m_wantsTime = on;
    if (!m_data || timed() == (on && canBeTimed()))
        return;
    const uint32_t first = m_axis.slotAt(m_range.begin), last = m_axis.slotAt(m_range.end);
    const bool all = m_range.begin <= m_axis.whole().begin && m_range.end >= m_axis.whole().end;
    m_axis = on ? SlotAxis(m_data->times) : SlotAxis(m_data->columns.slotCount);
    m_range = confined(all ? m_axis.whole() : TimeSpan{m_axis.begin(first), std::max(m_axis.begin(first) + kNarrowestRange, m_axis.begin(last))}, bounds());
    emit sightChanged();
}

TimeSpan LandscapeState::bounds() const
{
    const TimeSpan whole = m_axis.whole();
    return {whole.begin, std::max(whole.end, whole.begin + kNarrowestRange)};
}

void LandscapeState::setRange(TimeSpan range)
{
    if (!m_data)
        return;
    range = confined(range, bounds());
    if (range == m_range)
        return;
    m_range = range;
    emit sightChanged();
}

void LandscapeState::zoom(Ns anchor, double factor) { setRange(zoomed(m_range, anchor, factor)); }

void LandscapeState::pan(double share) { setRange(shifted(m_range, share)); }

void LandscapeState::showAll()
{
    setRange(m_axis.whole());
    setHeights(0, wholeTop());
}

void LandscapeState::fit()
{
    if (!m_data)
        return;
    uint32_t first = 0, last = 0;
    if (const uint32_t row = m_memory->selected(); row < m_data->columns.size.size()) {
        first = m_data->columns.begin[row];
        last = m_data->columns.end[row];
    } else if (const auto range = m_memory->range()) {
        first = m_data->slotOf(range->first);
        last = m_data->slotOf(range->last) + 1;
    } else {
        return;
    }
    const TimeSpan span{m_axis.begin(first), m_axis.begin(last)};
    setRange(padded({span.begin, std::max(span.end, span.begin + 1)}, 0.1));
}

double LandscapeState::wholeTop() const
{
    if (!m_data)
        return 1;
    const LevelGraph::Levels &high = m_data->levels.whole().high;
    return std::max(1.0, 1.06 * static_cast<double>(*std::max_element(high.begin(), high.end())));
}

void LandscapeState::setHeights(double bottom, double top)
{
    const double whole = wholeTop();
    const double height = std::clamp(top - bottom, std::min(whole, 512.0), whole);
    bottom = std::clamp(bottom, 0.0, whole - height);
    if (bottom == m_bottom && bottom + height == m_top)
        return;
    m_bottom = bottom;
    m_top = bottom + height;
    emit sightChanged();
}

void LandscapeState::zoomHeight(double anchor, double factor)
{
    setHeights(anchor - (anchor - m_bottom) * factor, anchor + (m_top - anchor) * factor);
}

} // namespace riffle
