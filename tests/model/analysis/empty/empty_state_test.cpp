// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/empty/empty_state.h"
#include "model/analysis/empty/recording_advice.h"

#include <gtest/gtest.h>

using namespace riffle;

namespace {

/// A training run of PyTorch, in which everything was recorded.
EmptyFacts good()
{
    EmptyFacts facts;
    facts.file = "a.json";
    facts.recorder = Recorder::PyTorch;
    facts.subject = EmptySubject::DeviceWork;
    return facts;
}

/// Limits, of which only these together hide the rows.
EmptyFacts limited(uint32_t limits, uint32_t hiding, size_t rows)
{
    EmptyFacts facts = good();
    facts.narrowedBy = limits;
    facts.rowsWithout = [hiding, rows](uint32_t dropped) { return (dropped & hiding) == hiding ? rows : 0; };
    return facts;
}

void expectState(const EmptyFacts &facts, EmptyReason reason, EmptyAction action, const std::string &text)
{
    const EmptyState state = emptyState(facts);
    EXPECT_EQ(state.text, text);
    EXPECT_EQ(state.reason, reason);
    EXPECT_EQ(state.action, action);
}

} // namespace

TEST(EmptyState, Loading)
{
    EmptyFacts facts;
    facts.open = false;
    facts.loading = "rank0.json and 7 more";
    expectState(facts, EmptyReason::Loading, EmptyAction::None, "Riffle is reading rank0.json and 7 more.");
}

TEST(EmptyState, LoadingAnotherFileDoesNotExplainAnOpenOne)
{
    EmptyFacts facts = good();
    facts.loading = "other.json";
    EXPECT_EQ(emptyState(facts).reason, EmptyReason::NotRecorded);
}

TEST(EmptyState, NothingOpen)
{
    EmptyFacts facts;
    facts.open = false;
    facts.shows = "memory snapshot";
    expectState(facts, EmptyReason::NothingOpen, EmptyAction::OpenFile, "No memory snapshot is open.");
    facts.other = "trace";
    expectState(facts, EmptyReason::NothingOpen, EmptyAction::OpenFile,
                "This view needs a memory snapshot, and only a trace is open.");
}

TEST(EmptyState, NoEvents)
{
    EmptyFacts facts = good();
    facts.hasEvents = facts.ofTraining = false;
    expectState(facts, EmptyReason::NoEvents, EmptyAction::OpenFile, "There are no events in a.json.");
    facts.file = "the 2 files";
    expectState(facts, EmptyReason::NoEvents, EmptyAction::OpenFile, "There are no events in the 2 files.");
}

TEST(EmptyState, OtherProgram)
{
    EmptyFacts facts = good();
    facts.ofTraining = false;
    expectState(facts, EmptyReason::OtherProgram, EmptyAction::SumUp,
                "Riffle recognizes no operators, no GPU work and no steps of a training run in a.json.");
    facts.needsTraining = false;
    EXPECT_EQ(emptyState(facts).reason, EmptyReason::NotRecorded);
}

TEST(EmptyState, OneLimitThatHidesAllRows)
{
    using namespace narrowed_by;
    struct Case {
        uint32_t limit;
        const char *text;
    };
    for (const Case &one : {Case{Range, "The selected range leaves nothing here. Without it there are 12 rows."},
                            Case{Steps, "The chosen steps leave nothing here. Without them there are 12 rows."},
                            Case{Lanes, "The chosen lanes leave nothing here. Without them there are 12 rows."},
                            Case{Ranks, "The chosen ranks leave nothing here. Without them there are 12 rows."},
                            Case{Names, "The name filter leaves nothing here. Without it there are 12 rows."},
                            Case{Classes, "The class filter leaves nothing here. Without it there are 12 rows."}}) {
        expectState(limited(Everything, one.limit, 12), EmptyReason::Narrowed, EmptyAction::Widen, one.text);
        EXPECT_EQ(emptyState(limited(Everything, one.limit, 12)).drops, one.limit);
    }
    EXPECT_EQ(emptyState(limited(Names, Names, 1)).text,
              "The name filter leaves nothing here. Without it there is 1 row.");
}

TEST(EmptyState, SeveralLimitsThatHideAllRowsTogether)
{
    using namespace narrowed_by;
    expectState(limited(Range | Names, Range | Names, 3), EmptyReason::Narrowed, EmptyAction::Widen,
                "The name filter and the selected range together leave nothing here. Without them there are 3 rows.");
    EXPECT_EQ(emptyState(limited(Range | Names, Range | Names, 3)).drops, Range | Names);
    EXPECT_EQ(emptyState(limited(Range | Names | Steps, Range | Names, 3)).text,
              "The name filter, the chosen steps and the selected range together leave nothing here. Without them "
              "there are 3 rows.");
}

TEST(EmptyState, LimitsThatHideNothingAreNotBlamed)
{
    const EmptyFacts facts = limited(narrowed_by::Everything, narrowed_by::Range, 0);
    EXPECT_EQ(emptyState(facts).reason, EmptyReason::NotRecorded);
}

TEST(EmptyState, TheFilterBox)
{
    EmptyFacts facts = good();
    facts.rowFilter = "calls>100";
    facts.rowsUnfiltered = 40;
    expectState(facts, EmptyReason::RowsFiltered, EmptyAction::ClearRowFilter,
                "The filter “calls>100” hides all 40 rows.");
    facts.rowsUnfiltered = 1;
    facts.row = "lane";
    EXPECT_EQ(emptyState(facts).text, "The filter “calls>100” hides the only lane.");
}

TEST(EmptyState, WhatTheUserHasHidden)
{
    EmptyFacts facts = good();
    facts.row = "lane";
    facts.rows = "lanes";
    facts.rowsUnfiltered = 3;
    expectState(facts, EmptyReason::RowsFiltered, EmptyAction::ShowHidden, "All 3 lanes are hidden.");
    facts.rowsUnfiltered = 1;
    expectState(facts, EmptyReason::RowsFiltered, EmptyAction::ShowHidden, "The only lane is hidden.");
}

TEST(EmptyState, NotInThePartThatWasRead)
{
    EmptyFacts facts = good();
    facts.part = true;
    expectState(facts, EmptyReason::NotInPart, EmptyAction::ReadWholeFile,
                "The part of the trace that was read contains no device work.");
    facts.noneOccurred = "No kernel ran.";
    expectState(facts, EmptyReason::NotInPart, EmptyAction::ReadWholeFile,
                "In the part of the trace that was read: No kernel ran.");
    facts.noneOccurred.clear();
    facts.hasEvents = false;
    expectState(facts, EmptyReason::NotInPart, EmptyAction::ReadWholeFile,
                "The part of the trace that was read contains no events.");
    facts.canReadMore = false;
    expectState(facts, EmptyReason::NotInPart, EmptyAction::None,
                "There is only a part of a trace in a.json, and it contains no events.");
}

TEST(EmptyState, NotInTheNewestPart)
{
    EmptyFacts facts = good();
    facts.part = facts.newest = true;
    expectState(
        facts, EmptyReason::NotInPart, EmptyAction::CopySetting,
        "The newest part of the recording, which is all that counts here, contains no device work. torch.profiler "
        "records it with activities=[…, ProfilerActivity.CUDA].");
    facts.noneOccurred = "No kernel ran.";
    expectState(facts, EmptyReason::NotInPart, EmptyAction::None,
                "In the newest part of the recording: No kernel ran.");
    facts.narrowedBy = narrowed_by::Range;
    facts.rowsWithout = [](uint32_t) { return size_t{3}; };
    expectState(
        facts, EmptyReason::Narrowed, EmptyAction::Widen,
        "Only the newest part of the recording counts here. The selected range leaves nothing here. Without it there "
        "are 3 rows.");
}

TEST(EmptyState, NotRecorded)
{
    EmptyFacts facts = good();
    expectState(facts, EmptyReason::NotRecorded, EmptyAction::CopySetting,
                "No device work was recorded. torch.profiler records it with activities=[…, ProfilerActivity.CUDA].");
    EXPECT_EQ(emptyState(facts).setting, "ProfilerActivity.CUDA");
    facts.recorder = Recorder::Other; // a program of which nothing is known gets no advice
    expectState(facts, EmptyReason::NotRecorded, EmptyAction::None, "No device work was recorded.");
}

TEST(EmptyState, NeverRecordedByThisTool)
{
    EmptyFacts facts = good();
    facts.recorder = Recorder::Paddle;
    facts.subject = EmptySubject::Modules;
    expectState(facts, EmptyReason::NeverRecorded, EmptyAction::None,
                "No modules were recorded. Paddle's profiler cannot record them.");
}

TEST(EmptyState, NothingOccurred)
{
    EmptyFacts facts = good();
    facts.noneOccurred = "No device copied or set memory.";
    expectState(facts, EmptyReason::NoneOccurred, EmptyAction::None, "No device copied or set memory.");
}

TEST(EmptyState, EveryAdviceIsOfItsOwnSubject)
{
    using enum EmptySubject;
    for (const EmptySubject subject : {Events, Operators, Modules, CallStacks, DeviceWork, Memory, Ranges, Collectives})
        for (const Recorder recorder : {Recorder::PyTorch, Recorder::Paddle, Recorder::Riffle, Recorder::Other}) {
            const RecordingAdvice advice = recordingAdvice(subject, recorder);
            EXPECT_EQ(std::string(advice.none).find("no "), 0u);
            EXPECT_EQ(std::string(advice.missing).back(), '.');
            EXPECT_TRUE(std::string(advice.advice).empty() || std::string(advice.advice).back() == '.');
            if (recorder == Recorder::Other) {
                EXPECT_EQ(advice.added(), "");
            }
            // The text that is offered for copying is the one that the sentence names.
            EXPECT_NE(std::string(advice.advice).find(advice.setting), std::string::npos) << advice.setting;
        }
}
