// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/tour_cards.h"

#include <QtGlobal>

namespace riffle {

namespace {

using enum TourPlace;

constexpr TourCard kTrace[]{
    {Strip, QT_TRANSLATE_NOOP("riffle::Tour", "The run in one line"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Here are the duration of a step, how busy the GPU is, and how much time it "
                                       "waits. A click on a figure leads to the table or the lanes behind it.")},
    {Lanes, QT_TRANSLATE_NOOP("riffle::Tour", "What ran when"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Streams of the GPU show kernels; threads show operators and Python. Zoom with "
                                       "w and s, move with a and d, and click on a slice to see its details.")},
    {Minimap, QT_TRANSLATE_NOOP("riffle::Tour", "Where you are"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The minimap shows the whole trace, and its frame is the visible range. Drag "
                                       "the frame, or press 0 to see everything again.")},
    {Filters, QT_TRANSLATE_NOOP("riffle::Tour", "Only what matters"),
     QT_TRANSLATE_NOOP("riffle::Tour", "A name typed here keeps the slices that match, in the lanes and in the "
                                       "tables. Esc drops the selection, then the range, then the newest filter.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "The same as tables"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The tables follow the filters and the selected range. A double click on a row "
                                       "shows it in the lanes. Ctrl+J opens and folds the tables.")},
};

constexpr TourCard kRanks[]{
    {Strip, QT_TRANSLATE_NOOP("riffle::Tour", "All ranks in one line"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The figures are about all ranks together. Communication is exposed while a "
                                       "rank does nothing else.")},
    {Labels, QT_TRANSLATE_NOOP("riffle::Tour", "One heading per rank"),
     QT_TRANSLATE_NOOP("riffle::Tour", "A click on a heading folds or unfolds the rank. A heading also loads a rank "
                                       "that is not in memory.")},
    {Lanes, QT_TRANSLATE_NOOP("riffle::Tour", "Ranks on one clock"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The lanes of all ranks show the same time, so a collective that starts late "
                                       "on one rank stands out. Drag over lanes to select a range and sum it up.")},
    {Filters, QT_TRANSLATE_NOOP("riffle::Tour", "One rank at a time"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The menu of a slice or a heading offers filters for its rank. Chips show the "
                                       "filters that are set, and a click on a chip drops it.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "Compare the ranks"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The list in the header of a table puts the ranks beside each other, one "
                                       "column per rank. Collectives are among More tables.")},
};

constexpr TourCard kLog[]{
    {Strip, QT_TRANSLATE_NOOP("riffle::Tour", "The recorded run in one line"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The collector recorded this log inside the training process. The figures are "
                                       "about the part of the run that the log still has.")},
    {Minimap, QT_TRANSLATE_NOOP("riffle::Tour", "A long recording"),
     QT_TRANSLATE_NOOP("riffle::Tour", "A log can hold hours. Drag the frame to where something happened, or press g "
                                       "and type a time or a step.")},
    {Lanes, QT_TRANSLATE_NOOP("riffle::Tour", "Steps, operators, kernels"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Shift+PgDn goes to the next step, fitted to the window. Times in which "
                                       "nothing was recorded are marked.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "Find the slow step"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The table of steps sorts by duration with a click on its heading. A double "
                                       "click on a row shows the step in the lanes.")},
    {Pages, QT_TRANSLATE_NOOP("riffle::Tour", "Pass on what you found"),
     QT_TRANSLATE_NOOP("riffle::Tour", "File › Save package writes the visible range, the marks and this view to one "
                                       "file. Ctrl+Shift+I copies a picture of what has the focus.")},
};

constexpr TourCard kSnapshot[]{
    {Memory, QT_TRANSLATE_NOOP("riffle::Tour", "Memory over time"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Each band is an allocation: it begins when the memory is taken and ends when "
                                       "it is freed. Its height is its size.")},
    {Memory, QT_TRANSLATE_NOOP("riffle::Tour", "What fills the peak"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Point at a band to see its size and the line of code that took it. A click "
                                       "selects the band and shows its whole stack.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "What is alive"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The table Alive groups the memory at the instant that is shown, for example "
                                       "by stack. Difference compares two instants.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "Why there was no room"),
     QT_TRANSLATE_NOOP("riffle::Tour", "If an allocation failed, Out of memory says how much was asked for and what "
                                       "held the rest. Allocator shows the gaps between blocks.")},
    {Pages, QT_TRANSLATE_NOOP("riffle::Tour", "Beside a trace"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Open a trace of the same process together with the snapshot: the pages "
                                       "Timeline and Memory then share one cursor.")},
};

constexpr TourCard kOtherTrace[]{
    {Lanes, QT_TRANSLATE_NOOP("riffle::Tour", "What ran when"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Each lane is a thread, and slices inside others are below them. Zoom with w "
                                       "and s, move with a and d, and click on a slice to see its details.")},
    {Minimap, QT_TRANSLATE_NOOP("riffle::Tour", "Where you are"),
     QT_TRANSLATE_NOOP("riffle::Tour", "The minimap shows the whole trace, and its frame is the visible range. Drag "
                                       "the frame, or press 0 to see everything again.")},
    {Filters, QT_TRANSLATE_NOOP("riffle::Tour", "Only what matters"),
     QT_TRANSLATE_NOOP("riffle::Tour", "A name typed here keeps the slices that match. Press / to find a slice, and "
                                       "n and p to walk through slices of the same name.")},
    {Lanes, QT_TRANSLATE_NOOP("riffle::Tour", "Sum up a range"),
     QT_TRANSLATE_NOOP("riffle::Tour", "Drag over lanes to select a range; the table Area sums it up by name. m marks "
                                       "a place, and marks are kept for the next time.")},
    {Tables, QT_TRANSLATE_NOOP("riffle::Tour", "Ask anything"),
     QT_TRANSLATE_NOOP("riffle::Tour", "SQL answers any other question about the slices, with examples to start from. "
                                       "Ctrl+J opens and folds the tables.")},
};

} // namespace

std::span<const TourCard> tourCards(TourKind kind)
{
    switch (kind) {
    case TourKind::Ranks: return kRanks;
    case TourKind::Log: return kLog;
    case TourKind::Snapshot: return kSnapshot;
    case TourKind::OtherTrace: return kOtherTrace;
    case TourKind::Trace: break;
    }
    return kTrace;
}

} // namespace riffle
