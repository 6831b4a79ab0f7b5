// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_state.h"

#include "model/analysis/empty/recording_advice.h"
#include "model/base/format.h"

#include <array>
#include <bit>

namespace riffle {

namespace {

struct Limit {
    uint32_t bit;
    const char *name;
    bool isPlural;
};

/// In the order in which they are tried: the ones that people set last and forget first.
constexpr std::array kLimits{
    Limit{narrowed_by::Names, "name filter", false}, Limit{narrowed_by::Classes, "class filter", false},
    Limit{narrowed_by::Lanes, "chosen lanes", true}, Limit{narrowed_by::Ranks, "chosen ranks", true},
    Limit{narrowed_by::Steps, "chosen steps", true}, Limit{narrowed_by::Range, "selected range", false}};

/// "the name filter and the selected range"
std::string namesOf(uint32_t limits)
{
    std::string text;
    uint32_t left = limits;
    for (const Limit &limit : kLimits) {
        if (!(left & limit.bit))
            continue;
        left &= ~limit.bit;
        text += (text.empty() ? "the " : left ? ", the " : " and the ") + std::string(limit.name);
    }
    return text;
}

EmptyState narrowedState(const EmptyFacts &facts, uint32_t drops, size_t rows)
{
    bool isPlural = true;
    size_t limits = 0;
    for (const Limit &limit : kLimits)
        if (drops & limit.bit)
            isPlural = ++limits > 1 || limit.isPlural;
    std::string text = namesOf(drops);
    text.front() = 'T';
    if (facts.newest)
        text = "Only the newest part of the recording counts here. " + text;
    text += std::string(limits > 1 ? " together leave" : isPlural ? " leave" : " leaves") + " nothing here. ";
    text += std::string("Without ") + (isPlural ? "them" : "it") + (rows == 1 ? " there is " : " there are ") +
            formatCounted(static_cast<int64_t>(rows), facts.row, facts.rows) + ".";
    return {EmptyReason::Narrowed, std::move(text), EmptyAction::Widen, {}, drops};
}

/// Finds the limit that alone hides all rows; otherwise, tries to drop all of them.
EmptyState stateOfLimits(const EmptyFacts &facts)
{
    if (!facts.narrowedBy || !facts.rowsWithout)
        return {};
    for (const Limit &limit : kLimits)
        if (facts.narrowedBy & limit.bit)
            if (const size_t rows = facts.rowsWithout(limit.bit))
                return narrowedState(facts, limit.bit, rows);
    if (std::has_single_bit(facts.narrowedBy))
        return {};
    if (const size_t rows = facts.rowsWithout(facts.narrowedBy))
        return narrowedState(facts, facts.narrowedBy, rows);
    return {};
}

EmptyState stateOfRows(const EmptyFacts &facts)
{
    const std::string rows =
        facts.rowsUnfiltered == 1
            ? "the only " + std::string(facts.row)
            : "all " + formatCounted(static_cast<int64_t>(facts.rowsUnfiltered), facts.row, facts.rows);
    if (!facts.rowFilter.empty())
        return {EmptyReason::RowsFiltered,
                "The filter “" + facts.rowFilter + "” hides " + rows + ".",
                EmptyAction::ClearRowFilter,
                {},
                0};
    std::string text = rows + (facts.rowsUnfiltered == 1 ? " is hidden." : " are hidden.");
    text.front() = text.front() == 'a' ? 'A' : 'T';
    return {EmptyReason::RowsFiltered, std::move(text), EmptyAction::ShowHidden, {}, 0};
}

/// The state of a view of the newest part: what that lacks may be before it, or may not have been recorded at all.
EmptyState notInNewest(const std::string &none, const std::string &advice, const char *setting)
{
    return {EmptyReason::NotInPart,
            "The newest part of the recording, which is all that counts here, contains " + none + "." + advice,
            *setting ? EmptyAction::CopySetting : EmptyAction::None, setting, 0};
}

EmptyState notInPart(const EmptyFacts &facts, const char *none)
{
    if (facts.newest)
        return notInNewest(none, {}, "");
    return {EmptyReason::NotInPart,
            facts.canReadMore ? "The part of the trace that was read contains " + std::string(none) + "."
                              : "There is only a part of a trace in " + facts.file + ", and it contains " + none + ".",
            facts.canReadMore ? EmptyAction::ReadWholeFile : EmptyAction::None,
            {},
            0};
}

EmptyState stateOfRecording(const EmptyFacts &facts)
{
    const RecordingAdvice known = recordingAdvice(facts.subject, facts.recorder);
    if (facts.newest)
        return notInNewest(known.none, known.added(), known.setting);
    if (facts.part)
        return notInPart(facts, known.none);
    return {known.never ? EmptyReason::NeverRecorded : EmptyReason::NotRecorded, known.missing + known.added(),
            *known.setting ? EmptyAction::CopySetting : EmptyAction::None, known.setting, 0};
}

} // namespace

EmptyState fileState(const EmptyFacts &facts)
{
    if (!facts.hasEvents && facts.part)
        return notInPart(facts, "no events");
    if (!facts.hasEvents)
        return {EmptyReason::NoEvents, "There are no events in " + facts.file + ".", EmptyAction::OpenFile, {}, 0};
    if (facts.needsTraining && !facts.ofTraining)
        return {EmptyReason::OtherProgram,
                "Riffle recognizes no operators, no GPU work and no steps of a training run in " + facts.file + ".",
                EmptyAction::SumUp,
                {},
                0};
    return {};
}

EmptyState emptyState(const EmptyFacts &facts)
{
    if (!facts.open && !facts.loading.empty())
        return {EmptyReason::Loading, "Riffle is reading " + facts.loading + ".", EmptyAction::None, {}, 0};
    if (!facts.open && facts.other)
        return {EmptyReason::NothingOpen,
                "This view needs a " + std::string(facts.shows) + ", and only a " + facts.other + " is open.",
                EmptyAction::OpenFile,
                {},
                0};
    if (!facts.open)
        return {EmptyReason::NothingOpen, "No " + std::string(facts.shows) + " is open.", EmptyAction::OpenFile, {}, 0};
    if (EmptyState state = fileState(facts); state.reason != EmptyReason::None)
        return state;
    if (EmptyState state = stateOfLimits(facts); state.reason != EmptyReason::None)
        return state;
    if (facts.rowsUnfiltered > 0)
        return stateOfRows(facts);
    if (!facts.noneOccurred.empty() && facts.part)
        return {EmptyReason::NotInPart,
                (facts.newest ? "In the newest part of the recording: " : "In the part of the trace that was read: ") +
                    facts.noneOccurred,
                facts.canReadMore && !facts.newest ? EmptyAction::ReadWholeFile : EmptyAction::None,
                {},
                0};
    if (!facts.noneOccurred.empty())
        return {EmptyReason::NoneOccurred, facts.noneOccurred, EmptyAction::None, {}, 0};
    return stateOfRecording(facts);
}

} // namespace riffle
