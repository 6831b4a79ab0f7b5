// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/commands/key_guide.h"

#include <QCoreApplication>

#include <array>
#include <string_view>

namespace riffle {

namespace {

#define GUIDE(text) QT_TRANSLATE_NOOP("riffle::KeyGuide", text)

constexpr const char *kTimeline = GUIDE("Timeline"), *kMinimap = GUIDE("Minimap"), *kRuler = GUIDE("Ruler and steps"),
                     *kLegend = GUIDE("Legend of colours"), *kLanes = GUIDE("Names of lanes"), *kBar = GUIDE("Bar"),
                     *kTables = GUIDE("Tables"), *kCharts = GUIDE("Charts"),
                     *kTrees = GUIDE("Flame graphs and sunbursts"), *kRanks = GUIDE("Ranks"), *kMarks = GUIDE("Marks"),
                     *kQuery = GUIDE("SQL"), *kMemory = GUIDE("Memory"), *kAllocator = GUIDE("Allocator"),
                     *kEvents = GUIDE("Events of memory"), *kLogs = GUIDE("Memory logs"),
                     *kTabs = GUIDE("Tabs and buttons");

constexpr Gesture kGestures[] = {
    {kTimeline, "w  s", GUIDE("Zoom in and out at the pointer (faster with Shift)")},
    {kTimeline, "a  d  Left  Right", GUIDE("Move left and right (faster with Shift)")},
    {kTimeline, "Up  Down  PgUp  PgDown", GUIDE("Scroll the lanes")},
    {kTimeline, "f", GUIDE("Fit the selection; press again to go back")},
    {kTimeline, "0  Home", GUIDE("Show the whole trace")},
    {kTimeline, "End", GUIDE("Follow the end of a recording that goes on, or stay")},
    {kTimeline, "m", GUIDE("Mark the selection or the time at the pointer")},
    {kTimeline, ".  ,", GUIDE("Next and previous slice in the lane")},
    {kTimeline, "n  p", GUIDE("Next and previous slice with the same name, in any lane")},
    {kTimeline, "x  Shift+X",
     GUIDE("Same slice in the next and previous rank or step; on the page Compare, on the other side")},
    {kTimeline, "]  [", GUIDE("Follow arrows forward and back, for example from launch to kernel")},
    {kTimeline, "Enter", GUIDE("Fold or unfold the rank under the pointer, otherwise that of the selection")},
    {kTimeline, "Esc", GUIDE("Drop the highlight, selection, area, filter, full table or overview")},
    {kTimeline, "Click", GUIDE("Select a slice; fold or unfold a heading")},
    {kTimeline, "Ctrl+click", GUIDE("Add a slice to the selection, or take it out; the details show the sum")},
    {kTimeline, "Double click", GUIDE("Fit the slice")},
    {kTimeline, "Alt", GUIDE("Hold the card at the pointer; the next one shows the differences")},
    {kTimeline, "Drag the divider", GUIDE("Give the device's lanes more or less room; double click for the default")},
    {kTimeline, "Right click", GUIDE("Menu of the slice")},
    {kTimeline, "Drag", GUIDE("Select an area and summarize it")},
    {kTimeline, "Drag with Space or the middle button", GUIDE("Move the view")},
    {kTimeline, "Wheel", GUIDE("Scroll the lanes; move left and right if tilted")},
    {kTimeline, "Two fingers", GUIDE("Scroll and move; a fast scroll glides on until a key or the pointer acts")},
    {kTimeline, "Ctrl+wheel or pinch", GUIDE("Zoom at the pointer")},
    {kTimeline, "Shift+wheel", GUIDE("Move left and right")},
    {kLegend, "Pointer", GUIDE("Emphasise the class")},
    {kLegend, "Click", GUIDE("Filter by the class; click again to end that")},
    {kLegend, "Ctrl+click", GUIDE("Add the class to the filter, or take it away")},
    {kMinimap, "Click", GUIDE("Centre the view there")},
    {kMinimap, "Drag", GUIDE("Show the dragged range")},
    {kMinimap, "Drag the frame or its edges", GUIDE("Move or resize the visible range")},
    {kRuler, "Drag", GUIDE("Select a range of time")},
    {kRuler, "Click", GUIDE("Drop the range")},
    {kRuler, "Double click a mark", GUIDE("Remove the mark")},
    {kRuler, "Right click", GUIDE("Choose between time since the start and date and time")},
    {kRuler, "Click a step", GUIDE("Fit the step")},
    {kLanes, "Click a heading", GUIDE("Fold or unfold it")},
    {kLanes, "Drag a name", GUIDE("Move the lane in its group")},
    {kLanes, "Drag the lower edge", GUIDE("Change the height of the lane; double click for the default")},
    {kLanes, "Drag the right edge", GUIDE("Change the width of the names")},
    {kLanes, "Right click", GUIDE("Pin, fold, hide or filter the lane")},
    {kBar, "Enter  Shift+Enter", GUIDE("Do what is chosen in the list; go to the next or previous slice found")},
    {kBar, "Up  Down  PgUp  PgDown", GUIDE("Move in the list")},
    {kBar, "Esc", GUIDE("Close the list and go back to the page")},
    {kBar, "Del", GUIDE("Remove the filter whose chip has the focus")},
    {kTables, "Enter", GUIDE("Show the row in the timeline")},
    {kTables, "]  [", GUIDE("Next and previous instance of the row")},
    {kTables, "/", GUIDE("Filter the rows")},
    {kTables, "Ctrl+C", GUIDE("Copy the rows")},
    {kTables, "Left  Right", GUIDE("Fold and unfold a row with others below it")},
    {kTables, "Click a heading", GUIDE("Sort; with Shift, by a further column")},
    {kTables, "Right click", GUIDE("Menu of the row or of the columns")},
    {kCharts, "Left  Right  PgUp  PgDown  Home  End", GUIDE("Go to another item")},
    {kCharts, "Enter  Space", GUIDE("Choose the item")},
    {kCharts, "l", GUIDE("Switch a histogram between linear and logarithmic")},
    {kCharts, "Click", GUIDE("Choose an item")},
    {kTrees, "Up  Down  Left  Right", GUIDE("Go to the caller, the largest part or a neighbour")},
    {kTrees, "Enter  Space", GUIDE("Let a node fill the picture")},
    {kTrees, "Backspace  Home", GUIDE("Go one level back; show the whole tree")},
    {kTrees, "Click", GUIDE("Choose a node; in a sunburst, let it fill the picture")},
    {kTrees, "Double click", GUIDE("Let a node fill the picture")},
    {kTrees, "Right click", GUIDE("Save the picture or its figures")},
    {kRanks, "Up  Down  Left  Right  Home  End", GUIDE("Go to another rank or cell")},
    {kRanks, "PgUp  PgDown", GUIDE("Move by a tenth of the ranks in the heat map")},
    {kRanks, "Ctrl+Home  Ctrl+End", GUIDE("First and last cell of the heat map")},
    {kRanks, "Enter  Space", GUIDE("Go to the rank, or to its step, in the timeline")},
    {kRanks, "Click", GUIDE("Choose a rank; in the heat map, go to the rank and step in the timeline")},
    {kRanks, "Double click", GUIDE("Go to the rank in the timeline")},
    {kMarks, "Enter  Double click", GUIDE("Go to the mark")},
    {kMarks, "F2", GUIDE("Edit the note")},
    {kMarks, "Del", GUIDE("Remove the mark")},
    {kQuery, "Ctrl+Enter", GUIDE("Run the query")},
    {kQuery, "Esc", GUIDE("Stop the query")},
    {kQuery, "Alt+Up  Alt+Down", GUIDE("Earlier and later queries")},
    {kMemory, "w  s", GUIDE("Zoom in and out (faster with Shift)")},
    {kMemory, "a  d", GUIDE("Move left and right (faster with Shift)")},
    {kMemory, "+  -", GUIDE("Zoom the bytes in and out")},
    {kMemory, "PgUp  PgDown", GUIDE("Move up and down")},
    {kMemory, "f", GUIDE("Fit the selection")},
    {kMemory, "0  Home", GUIDE("Show everything")},
    {kMemory, "Left  Right  ,  .", GUIDE("Move the instant by one event; with Shift, by more")},
    {kMemory, "p", GUIDE("Go to the peak")},
    {kMemory, "r", GUIDE("Set the start of a range, then its end")},
    {kMemory, "Up  Down", GUIDE("Select the band above or below")},
    {kMemory, "Click", GUIDE("Select a band and set the instant")},
    {kMemory, "Double click", GUIDE("Fit the band")},
    {kMemory, "Drag", GUIDE("Select a range")},
    {kMemory, "Drag below the bands", GUIDE("Move the instant")},
    {kMemory, "Drag with Space or the middle button", GUIDE("Move the view")},
    {kMemory, "Ctrl+wheel", GUIDE("Zoom; with Shift, zoom the bytes")},
    {kMemory, "Shift+wheel", GUIDE("Move left and right")},
    {kMemory, "Wheel", GUIDE("Move up and down")},
    {kAllocator, "Left  Right", GUIDE("Previous and next event")},
    {kAllocator, "PgUp  PgDown", GUIDE("100 events back and forward")},
    {kAllocator, "Home  End", GUIDE("First and last event")},
    {kAllocator, "Click", GUIDE("Select a block; in the curves, set the instant")},
    {kAllocator, "Ctrl+wheel", GUIDE("Zoom the map")},
    {kEvents, "Enter", GUIDE("Set the instant to the event")},
    {kEvents, "/", GUIDE("Filter the events")},
    {kLogs, "Left  Right  PgUp  PgDown  Home  End", GUIDE("Go to another point")},
    {kLogs, "Click or drag", GUIDE("Choose a point")},
    {kTabs, "Tab  Shift+Tab", GUIDE("Next and previous part of the window")},
    {kTabs, "Left  Right", GUIDE("Next and previous tab")},
    {kTabs, "Space", GUIDE("Press the button")},
    {kTabs, "Double click a tab", GUIDE("Let the table fill the window")},
};

#undef GUIDE

constexpr std::array<const char *, 5> kUseful{"w  s", "a  d  Left  Right", "f", "m", "]  ["};

} // namespace

std::span<const Gesture> gestures() { return kGestures; }

QList<std::pair<QString, QString>> usefulKeys()
{
    QList<std::pair<QString, QString>> keys;
    for (const Gesture &gesture : kGestures)
        for (const char *useful : kUseful)
            if (gesture.view == kTimeline && std::string_view(gesture.input) == useful)
                keys.emplace_back(QString::fromLatin1(gesture.input), guideText(gesture.what));
    return keys;
}

QString guideText(const char *text) { return QCoreApplication::translate("riffle::KeyGuide", text); }

const Gesture *gestureWith(const QKeySequence &key)
{
    for (const Gesture &gesture : kGestures)
        for (const QString &input : QString::fromLatin1(gesture.input).split(QLatin1String("  ")))
            if (key == QKeySequence(input, QKeySequence::PortableText))
                return &gesture;
    return nullptr;
}

} // namespace riffle
