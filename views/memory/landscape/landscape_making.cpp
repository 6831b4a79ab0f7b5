// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
// Computes the contents of a landscape outside the GUI thread: data, bands and their colours.
#include "model/analysis/memory/categories/memory_categories.h"
#include "model/analysis/memory/categories/memory_rules.h"
#include "views/memory/landscape/landscape_state.h"

#include <algorithm>
#include <string>
#include <utility>

namespace riffle {

namespace {
const QString kBands = QStringLiteral("landscape"), kColours = QStringLiteral("colours"); // keys of jobs
}

LandscapeState::LandscapeState(MemorySession *memory, QObject *parent)
    : QObject(parent)
    , m_memory(memory)
    , m_palette(&Palette::light())
    , m_jobs(this)
{
    m_made.colours = std::make_shared<const BandColours>();
    connect(memory, &MemorySession::changed, this, [this](MemorySession::Changes changes) {
        if (!(changes & MemorySession::Steps))
            return;
        gatherMarks();
        emit sightChanged();
    });
}

LandscapeState::~LandscapeState() = default;

LandscapeState::Colouring LandscapeState::colouring() const
{
    const bool guessed = m_memory->colour() == MemorySession::Colour::Category;
    return {m_memory->colour(), guessed ? m_memory->rules() : nullptr, m_palette};
}

std::shared_ptr<const MemoryCategories> LandscapeState::categories() const
{
    return m_made.categorisedBy == m_memory->rules() ? m_made.categories : nullptr;
}

void LandscapeState::addColours(Made &made, const Colouring &colouring)
{
    const SnapshotFacts &facts = *made.data->facts;
    if (colouring.rules && (!made.categories || made.categorisedBy != colouring.rules)) {
        made.categories = std::make_shared<const MemoryCategories>(facts, *colouring.rules);
        made.categorisedBy = colouring.rules;
    }
    made.colours = std::make_shared<const BandColours>(*made.landscape, facts, static_cast<uint32_t>(made.data->device),
                                                       colouring.by, made.categories.get(), *colouring.palette);
    made.colouring = colouring;
}

void LandscapeState::follow()
{
    const auto facts = m_memory->facts();
    const size_t device = m_memory->place().device;
    if (facts == m_wantedFacts && device == m_wantedDevice) {
        recolour();
        return;
    }
    m_wantedFacts = facts;
    m_wantedDevice = device;
    if (m_memory->device()) {
        Made from;
        if (m_made.data && m_made.data->facts == facts) {
            from.categories = m_made.categories;
            from.categorisedBy = m_made.categorisedBy;
        }
        make(std::move(from));
    } else {
        m_jobs.cancel(kBands);
        take({});
    }
}

void LandscapeState::setMost(int most)
{
    if (most == m_most)
        return;
    m_most = most;
    if (!data() || data()->facts != m_wantedFacts || data()->device != m_wantedDevice) {
        m_wantedFacts = nullptr; // the bands in progress have the old limit
        follow();
    } else {
        make({m_made.data, nullptr, m_made.categories, m_made.categorisedBy, nullptr, {}});
    }
}

/// Computes bands with the current colouring, and the data if it is missing.
void LandscapeState::make(Made from)
{
    m_jobs.run(
        kBands,
        [made = std::move(from), facts = m_wantedFacts, device = m_wantedDevice, most = static_cast<size_t>(m_most),
         wanted = colouring()](std::stop_token stop) mutable {
            const Task task{std::move(stop), nullptr};
            if (!made.data)
                made.data = makeLandscapeData(facts, device, task);
            made.landscape = std::make_shared<const Landscape>(made.data->columns, most, task);
            if (!task.stopped())
                addColours(made, wanted);
            return std::move(made);
        },
        [this](Made made) { take(std::move(made)); });
}

/// Freeing a hundred megabytes takes longer than painting a frame, so a worker does it.
void LandscapeState::discard(Made old)
{
    m_jobs.run(
        QStringLiteral("discard"), [old = std::move(old)](std::stop_token) mutable { return (old = {}, true); },
        [](bool) {});
}

void LandscapeState::take(Made made)
{
    const bool otherData = made.data != m_made.data;
    discard(std::exchange(m_made, std::move(made)));
    if (!m_made.colours)
        m_made.colours = std::make_shared<const BandColours>();
    m_jobs.cancel(kColours); // they belong to the previous bands
    m_colouring.reset();
    if (otherData && data()) {
        m_axis = m_wantsTime && canBeTimed() ? SlotAxis(data()->times) : SlotAxis(data()->columns.slotCount);
        m_range = confined(m_axis.whole(), bounds());
        m_bottom = 0;
        m_top = wholeTop();
    }
    gatherMarks();
    emit dataChanged();
    emit coloursChanged();
    if (otherData)
        emit sightChanged();
    recolour(); // another colouring may have been chosen meanwhile
}

void LandscapeState::setPalette(const Palette &palette)
{
    if (&palette == m_palette)
        return;
    m_palette = &palette;
    recolour();
}

void LandscapeState::recolour()
{
    const Colouring wanted = colouring();
    if (!landscape() || !data() || data()->facts != m_wantedFacts || m_colouring == wanted)
        return;
    if (m_made.colouring == wanted) {
        m_jobs.cancel(kColours);
        m_colouring.reset();
        return;
    }
    m_colouring = wanted;
    m_jobs.run(
        kColours,
        [made = m_made, wanted](std::stop_token) mutable {
            addColours(made, wanted);
            return std::move(made);
        },
        [this](Made made) {
            m_made = std::move(made);
            m_colouring.reset();
            emit coloursChanged();
        });
}

void LandscapeState::gatherMarks()
{
    m_marks = data() ? data()->marks : std::vector<LandscapeMark>();
    const bool hasSteps =
        std::ranges::any_of(m_marks, [](const LandscapeMark &mark) { return mark.name.starts_with("ProfilerStep"); });
    if (!canBeTimed() || hasSteps || m_memory->steps().empty())
        return;
    for (const MemorySession::Step &step : m_memory->steps())
        m_marks.push_back({"Step " + std::to_string(step.number), step.begin, step.end, 0});
    std::ranges::stable_sort(m_marks, {}, &LandscapeMark::begin);
    stackMarks(m_marks);
}

} // namespace riffle
