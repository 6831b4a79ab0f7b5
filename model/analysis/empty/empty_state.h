// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/analysis/facts/recorder.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace riffle {

/// Why a view shows nothing.
enum class EmptyReason : uint8_t {
    None,          ///< the view has something to show
    NotAsked,      ///< the user has not said what to show
    Loading,       ///< a file is being read
    NothingOpen,   ///< no file is open that the view could show
    NoEvents,      ///< the file contains no events
    OtherProgram,  ///< the view is about training runs, and the file comes from another program
    Narrowed,      ///< the range or the filters leave nothing
    RowsFiltered,  ///< the filter box of the view leaves nothing, or the user has hidden all of it
    NotInPart,     ///< only a part of the file was read, and that part contains nothing of the kind
    NotRecorded,   ///< nothing of the kind was recorded, although the recorder may be able to
    NeverRecorded, ///< the recorder cannot record anything of the kind
    NoneOccurred   ///< it would have been recorded, but the program did nothing of the kind
};

/// The help that one click gives.
enum class EmptyAction : uint8_t {
    None,
    OpenFile,
    ReadWholeFile,
    SumUp,          ///< sum up all slices by name, which any trace allows
    Widen,          ///< drop the range or the filters in EmptyState::drops
    ClearRowFilter, ///< clear the filter box of the view
    ShowHidden,     ///< show what the user has hidden in the view
    CopySetting,    ///< copy EmptyState::setting
    GoToPeak        ///< show the instant with the most memory
};

/// The limits of a view's contents, as bits.
namespace narrowed_by {
inline constexpr uint32_t Range = 1, Steps = 2, Lanes = 4, Ranks = 8, Names = 16, Classes = 32, Everything = 63;
}

/// The kind of thing that a view lists.
enum class EmptySubject : uint8_t { Events, Operators, Modules, CallStacks, DeviceWork, Memory, Ranges, Collectives };

/// Why a view is empty, in words, and what helps.
struct EmptyState {
    EmptyReason reason = EmptyReason::None;
    std::string text; ///< whole sentences
    EmptyAction action = EmptyAction::None;
    std::string setting; ///< the option that records what is missing; for EmptyAction::CopySetting
    uint32_t drops = 0;  ///< bits of narrowed_by; for EmptyAction::Widen

    bool operator==(const EmptyState &) const = default;
};

/// Everything that decides why a view is empty. The defaults describe a view of which nothing is missing.
struct EmptyFacts {
    std::string loading;           ///< the file that is being read, by name; empty if there is none
    const char *shows = "trace";   ///< the kind of file that the view shows
    bool open = true;              ///< such a file is open
    const char *other = nullptr;   ///< otherwise the kind of file that is open instead; null if there is none
    std::string file = "the file"; ///< the open file, by name; "the 8 files"
    bool hasEvents = true;
    bool needsTraining = true; ///< the view is about training runs
    bool ofTraining = true;    ///< the file comes from a training run
    bool part = false;         ///< only a part of the file was read
    bool canReadMore = true;   ///< the file contains more than that part
    bool newest = false;       ///< only the newest part of a recording that goes on counts (TraceFacts::isPart())
    Recorder recorder = Recorder::Other;
    EmptySubject subject = EmptySubject::Events;
    std::string noneOccurred; ///< a sentence, if what the view lists was recorded, but none of it is to be shown

    uint32_t narrowedBy = 0; ///< bits of narrowed_by: what limits the view
    /// The number of rows that the view would have without these limits.
    std::function<size_t(uint32_t dropped)> rowsWithout;

    std::string rowFilter;     ///< the text in the filter box of the view
    size_t rowsUnfiltered = 0; ///< the number of rows that the view would have without it; hidden ones if it is empty
    const char *row = "row", *rows = "rows";
};

/// Why no view can show the file, or none that is about training runs; reason None if they can.
EmptyState fileState(const EmptyFacts &facts);

/// The rule of all views: why a view that has no rows is empty. The first reason that holds counts, in the order of
/// EmptyReason.
EmptyState emptyState(const EmptyFacts &facts);

} // namespace riffle
