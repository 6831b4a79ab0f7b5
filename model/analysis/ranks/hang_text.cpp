// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang_text.h"

#include "model/analysis/ranks/flight_calls.h"
#include "model/base/format.h"
#include "model/base/shown_text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace riffle {

namespace {

/// "Rank 3 is", "Ranks 0, 1 are"
std::string ranksAre(const RankList &ranks)
{
    return (ranks.size() == 1 ? "Rank " : "Ranks ") + rankListText(ranks) + (ranks.size() == 1 ? " is" : " are");
}

std::string stuckText(const Divergence &found)
{
    std::vector<int64_t> inside;
    for (const HangMember &member : found.members)
        if (member.entry)
            inside.push_back(member.rank);
    const bool areAll = inside.size() == found.members.size() && found.withoutDump.empty();
    return (areAll ? std::string("All ranks are") : ranksAre(inside)) + " in " + shownText(found.operation) +
           (found.culprits.empty() ? ", and it does not end."
                                   : "; it does not end on " + ranksText(found.culprits) + ".");
}

/// A member and the words for it, without its rank.
AlikeMembers described(const HangReport &report, const HangMember &member, size_t mostFrames)
{
    AlikeMembers own{{}, member, std::string(partName(member.part)), {}, false};
    if (member.dump < 0)
        return own;
    const FlightDump &dump = *report.dumps[static_cast<size_t>(member.dump)];
    if (member.part == HangMember::Part::Finished && !dump.tracksState())
        own.doing += " or failed";
    const std::optional<uint32_t> row = member.entry ? member.entry : member.last;
    if (!row) {
        own.doing += "; its dump has no calls";
        return own;
    }
    const FlightEntry &entry = dump.entries[*row];
    own.doing += (member.entry ? " in " : "; its last call is ") + shownText(callText(dump, *row));
    if (member.entry)
        own.doing.append(" (")
            .append(dump.tracksState() ? flightStateName(entry.state) : "state not tracked")
            .append(entry.isRetired ? ", retired)" : ")");
    own.frames = framesToShow(dump, *row, mostFrames);
    own.lacksStack = entry.stack == 0;
    return own;
}

} // namespace

std::string ranksText(const RankList &ranks) { return (ranks.size() == 1 ? "rank " : "ranks ") + rankListText(ranks); }

std::string groupText(const Divergence &found)
{
    std::string text = "group \"" + shownText(found.groupName) + "\"";
    if (!found.groupDescription.empty())
        text += " (" + shownText(found.groupDescription) + ")";
    return text + (found.isGroupKnown ? " of " : ", seen on ") + ranksText(found.groupRanks);
}

std::string verdictText(const Divergence &found)
{
    const std::string who = found.culprits.empty()
                                ? std::string()
                                : (found.culprits.size() > 1 ? "Ranks " : "Rank ") + rankListText(found.culprits);
    const std::string operation = shownText(found.operation);
    switch (found.kind) {
    case DivergenceKind::MissingEntry: return who + " never came to " + operation + ".";
    case DivergenceKind::LateEntry: return who + " came to " + operation + " after the time of the others had run out.";
    case DivergenceKind::OtherCollective:
        return who.empty() ? "The ranks make different calls in one place."
                           : who + " made another call than " + operation + ".";
    case DivergenceKind::OtherSize:
        return who.empty() ? "The ranks disagree on the sizes or types of " + operation + "."
                           : who + " called " + operation + " with another size or type.";
    case DivergenceKind::MissingPeer: return who + " never made the call that " + operation + " needs.";
    case DivergenceKind::StuckInside: return stuckText(found);
    case DivergenceKind::NoDump:
        return "No dump of " + ranksText(found.culprits) + " was read, and the others wait in " + operation + ".";
    }
    return {};
}

std::string placeText(const Divergence &found)
{
    if (!found.isP2p)
        return "collective " + std::to_string(found.sequence) + " of " + groupText(found);
    const std::string number =
        found.sequence == FlightEntry::kNone ? "without a number" : "number " + std::to_string(found.sequence);
    return "from rank " + std::to_string(found.source) + " to rank " + std::to_string(found.destination) + ", " +
           number + " in " + groupText(found);
}

std::string noDivergenceText(const HangReport &report)
{
    if (report.dumps.size() < 2)
        return "fewer than two dumps cannot be compared.";
    if (report.unplaced == 0 && report.dropped == 0)
        return "the calls agree where the rings overlap, and none of them waits.";
    return "the calls that could be compared agree where the rings overlap, and none of them waits; about the others, "
           "see above.";
}

std::string comparedText(const HangReport &report, size_t unread)
{
    return "Read " + formatCounted(static_cast<int64_t>(report.dumps.size()), "dump", "dumps") + " of " +
           ranksText(report.ranks) + (unread ? " (" + std::to_string(unread) + " could not be read)" : "") + "; " +
           std::to_string(report.worldSize) + (report.isWorldKnown ? " ranks" : " ranks at least") + " in the job.";
}

std::vector<AlikeMembers> alikeMembers(const HangReport &report, const Divergence &found, size_t mostFrames)
{
    std::vector<AlikeMembers> rows;
    std::vector<std::vector<int64_t>> ranks; // one per row
    std::map<std::string, size_t> known;
    for (const HangMember &member : found.members) {
        AlikeMembers own = described(report, member, mostFrames);
        std::string key = own.doing;
        for (const uint32_t frame : own.frames)
            key.append("\n").append(frameText(*report.dumps[static_cast<size_t>(member.dump)], frame));
        const auto [at, isNew] = known.try_emplace(std::move(key), rows.size());
        if (isNew) {
            rows.push_back(std::move(own));
            ranks.emplace_back();
        }
        ranks[at->second].push_back(member.rank);
    }
    for (size_t row = 0; row < rows.size(); ++row)
        rows[row].ranks = std::move(ranks[row]);
    if (!found.withoutDump.empty()) {
        HangMember none{.rank = found.withoutDump.at(0), .part = HangMember::Part::NoDump, .entry = {}, .last = {}};
        AlikeMembers own = described(report, none, mostFrames);
        own.ranks = found.withoutDump;
        const auto before =
            std::ranges::find_if(rows, [&](const AlikeMembers &row) { return row.one.rank > none.rank; });
        rows.insert(before, std::move(own));
    }
    return rows;
}

std::string frameText(const FlightDump &dump, uint32_t frame)
{
    const FlightFrame &own = dump.frames[frame];
    return shownText(std::string(dump.text(own.name)) + " (" + std::string(dump.text(own.file)) + ":" +
                     std::to_string(own.line) + ")");
}

std::vector<uint32_t> framesToShow(const FlightDump &dump, uint32_t entry, size_t most)
{
    const auto stack = dump.stack(dump.entries[entry].stack);
    const auto isLibrary = [&](uint32_t frame) {
        const std::string_view file = dump.text(dump.frames[frame].file);
        return file.find("site-packages") != file.npos || file.find("dist-packages") != file.npos ||
               file.find("torch/distributed/") != file.npos || file.starts_with('<');
    };
    const bool anyOwn = !std::ranges::all_of(stack, isLibrary);
    std::vector<uint32_t> frames;
    for (const uint32_t frame : stack)
        if (frames.size() < most && !(anyOwn && isLibrary(frame)))
            frames.push_back(frame);
    return frames;
}

} // namespace riffle
