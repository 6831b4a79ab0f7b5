// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/ranks/hang.h"
#include "app/cli/command.h"
#include "app/cli/flight/flight_info.h"
#include "app/cli/output.h"
#include "model/analysis/ranks/flight_calls.h"
#include "model/analysis/ranks/hang_text.h"
#include "model/base/format.h"
#include "model/base/quoted_text.h"
#include "model/base/shown_text.h"
#include "model/ingest/flight_recorder/flight_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

namespace riffle::cli {

namespace {

struct HangOptions {
    std::vector<std::string> paths;
    OpenOptions open;
    bool json = false;
    int limit = 3;
};

/// A file that lies beside the dumps.
struct Beside {
    std::string path, kind;
};

/// The files that could not be read, and the ranks that their names tell and of which no other dump was read.
struct Failed {
    size_t files = 0;
    std::vector<int64_t> ranks;

    void add(const std::string &path)
    {
        ++files;
        if (const auto rank = rankOfDumpName(path).rank)
            ranks.push_back(*rank);
    }
    void keep(const HangReport &report)
    {
        std::ranges::sort(ranks);
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        std::erase_if(ranks, [&](int64_t rank) { return !report.missing.contains(rank); });
    }
};

/// Members that did the same are printed once, with the stack of the first one.
void printMembers(const HangReport &report, const Divergence &found)
{
    for (const AlikeMembers &alike : alikeMembers(report, found, 4)) {
        fmt::print("  {}: {}\n", ranksText(alike.ranks), alike.doing);
        for (const uint32_t frame : alike.frames)
            fmt::print("      at {}\n", frameText(*report.dumps[static_cast<size_t>(alike.one.dump)], frame));
        if (alike.lacksStack)
            fmt::print("      (no stack was recorded)\n");
    }
}

/// Few files beside the dumps are named, many are counted.
void printBeside(const std::vector<Beside> &beside)
{
    constexpr size_t kMostNamed = 8;
    std::map<std::string, int64_t> counts;
    for (const Beside &one : beside) {
        ++counts[one.kind];
        if (beside.size() <= kMostNamed)
            fmt::print("Beside them: {} ({})\n", shownText(one.path), one.kind);
    }
    if (beside.size() > kMostNamed)
        for (const auto &[kind, count] : counts)
            fmt::print("Beside them: {} ({})\n", formatCounted(count, "file", "files"), kind);
}

void printText(const HangReport &report, const std::vector<Beside> &beside, const Failed &failed, int limit)
{
    fmt::print("{}\n", comparedText(report, failed.files));
    if (const RankList missing = report.missing.without(failed.ranks); !missing.empty())
        fmt::print("No dump of {} was read.\n", ranksText(missing));
    if (!failed.ranks.empty())
        fmt::print("The {} of {} could not be read.\n", failed.ranks.size() == 1 ? "dump" : "dumps",
                   ranksText(failed.ranks));
    printBeside(beside);
    for (const std::string &remark : report.remarks)
        fmt::print("Note: {}\n", shownText(remark));
    fmt::print("Compared {} of {}.\n", formatCounted(static_cast<int64_t>(report.compared), "call", "calls"),
               formatCounted(static_cast<int64_t>(report.groups), "group", "groups"));
    if (report.found.empty()) {
        fmt::print("\nNo divergence: {}\n", noDivergenceText(report));
        return;
    }
    const size_t shown = limit > 0 ? std::min(report.found.size(), static_cast<size_t>(limit)) : report.found.size();
    for (size_t at = 0; at < shown; ++at) {
        const Divergence &found = report.found[at];
        fmt::print("\n{}: {} ({})\n  {}\n", at == 0 ? "First divergence" : "Then", divergenceName(found.kind),
                   surenessName(found.sureness), verdictText(found));
        fmt::print("  {}\n", placeText(found));
        printMembers(report, found);
        for (const std::string &sentence : found.evidence)
            fmt::print("  {}\n", shownText(sentence));
    }
    if (shown < report.found.size())
        fmt::print("\n{} more divergences follow from it or stand beside it; --limit 0 shows all.\n",
                   report.found.size() - shown);
}

std::string jsonRanks(const RankList &ranks)
{
    std::string text;
    ranks.forEach([&](int64_t rank) { text.append(text.empty() ? "" : ", ").append(std::to_string(rank)); });
    return "[" + text + "]";
}

std::string orNull(int64_t number) { return number == FlightEntry::kNone ? "null" : std::to_string(number); }

std::string jsonMember(const HangReport &report, const HangMember &member)
{
    std::string text = fmt::format("{{\"rank\": {}, \"part\": {}", member.rank, jsonString(partName(member.part)));
    const FlightDump *dump = member.dump < 0 ? nullptr : report.dumps[static_cast<size_t>(member.dump)].get();
    const auto row = member.entry ? member.entry : member.last;
    if (dump && row) {
        const FlightEntry &entry = dump->entries[*row];
        text += fmt::format(
            ", \"{}\": {{\"operation\": {}, \"record\": {}, \"group\": {}, \"sequence\": {}, \"state\": {}, "
            "\"retired\": {}, \"created_ns\": {}, \"stack\": {}}}",
            member.entry ? "call" : "last_call", jsonString(callText(*dump, *row)), orNull(entry.record),
            jsonString(dump->groups[entry.group].name), orNull(entry.isP2p ? entry.p2pSequence : entry.sequence),
            jsonString(flightStateName(entry.state)), entry.isRetired, orNull(entry.created), jsonStack(*dump, *row));
    }
    return text + "}";
}

constexpr size_t kMostWithoutDump = 1024; ///< ranks without a dump that are members of their own; more are counted

/// The members by rank, those without a dump among them if they are few.
std::string jsonMembers(const HangReport &report, const Divergence &found)
{
    std::string text;
    const auto add = [&](const HangMember &member) {
        text.append(text.empty() ? "" : ", ").append(jsonMember(report, member));
    };
    auto next = found.members.begin();
    const RankList withoutDump = found.withoutDump.size() <= kMostWithoutDump ? found.withoutDump : RankList();
    withoutDump.forEach([&](int64_t rank) {
        for (; next != found.members.end() && next->rank < rank; ++next)
            add(*next);
        add({.rank = rank, .part = HangMember::Part::NoDump, .entry = {}, .last = {}});
    });
    for (; next != found.members.end(); ++next)
        add(*next);
    return "[" + text + "]";
}

void printJson(const HangReport &report, const std::vector<Beside> &beside, const Failed &failed, int limit)
{
    const size_t shown = limit > 0 ? std::min(report.found.size(), static_cast<size_t>(limit)) : report.found.size();
    fmt::print("{{\n  \"ranks\": {},\n  \"missing_ranks\": {},\n  \"world_size\": {},\n  \"world_size_known\": {},\n",
               jsonRanks(report.ranks), jsonRanks(report.missing), report.worldSize, report.isWorldKnown);
    fmt::print("  \"files\": {},\n  \"unreadable_files\": {},\n  \"beside\": {},\n  \"remarks\": {},\n",
               jsonList(report.dumps, [](const auto &dump) { return jsonString(dump->path); }), failed.files,
               jsonList(beside,
                        [](const Beside &one) {
                            return fmt::format("{{\"path\": {}, \"kind\": {}}}", jsonString(one.path),
                                               jsonString(one.kind));
                        }),
               jsonList(report.remarks));
    fmt::print("  \"groups\": {},\n  \"compared\": {},\n  \"not_compared\": {},\n  \"left_out\": {},\n  "
               "\"divergences\": [",
               report.groups, report.compared, report.unplaced, report.dropped);
    for (size_t at = 0; at < shown; ++at) {
        const Divergence &found = report.found[at];
        fmt::print("{}\n    {{\"kind\": {}, \"sureness\": {}, \"verdict\": {}, \"operation\": {}, \"group\": {}, "
                   "\"description\": {}, \"group_ranks\": {}, \"group_ranks_known\": {}, \"sequence\": {}, ",
                   at ? "," : "", jsonString(divergenceName(found.kind)), jsonString(surenessName(found.sureness)),
                   jsonString(verdictText(found)), jsonString(found.operation), jsonString(found.groupName),
                   jsonString(found.groupDescription), jsonRanks(found.groupRanks), found.isGroupKnown,
                   orNull(found.sequence));
        fmt::print("\"p2p\": {}, \"source\": {}, \"destination\": {}, \"circular\": {}, \"culprits\": {},\n     "
                   "\"evidence\": {},\n     \"without_dump\": {}, \"members\": {}}}",
                   found.isP2p, found.isP2p ? std::to_string(found.source) : "null",
                   found.isP2p ? std::to_string(found.destination) : "null", found.isCircular,
                   jsonRanks(found.culprits), jsonList(found.evidence), found.withoutDump.size(),
                   jsonMembers(report, found));
    }
    fmt::print("{}],\n  \"divergences_in_all\": {}\n}}\n", shown ? "\n  " : "", report.found.size());
}

int runHang(const HangOptions &options)
{
    const Result<ImportOptions> import = importOptions(options.open);
    if (!import) {
        complain(import.error().text());
        return Usage;
    }
    std::vector<std::shared_ptr<const FlightDump>> dumps;
    std::vector<Beside> beside;
    Failed failed;
    int code = Good;
    for (const std::string &path : options.paths) {
        std::error_code unknown;
        if (const auto size = std::filesystem::file_size(path, unknown); unknown || size == 0) {
            complain(path + (unknown ? ": The file cannot be read." : ": The file is empty."));
            failed.add(path);
            code = worseOf(code, WithLosses);
            continue;
        }
        const Importer &importer = importerOf(path);
        if (importer.kind != FileKind::FlightDump) {
            beside.push_back({path, std::string(importer.name)});
            continue;
        }
        Result<ImportedFile> read = importer.open(path, *import, {});
        if (!read) {
            complain(read.error().text());
            failed.add(path);
            code = worseOf(code, read.error().kind == ErrorKind::Limit ? LimitExceeded : WithLosses);
            continue;
        }
        dumps.push_back(std::get<std::shared_ptr<const FlightDump>>(*read));
        if (dumps.back()->damage || dumps.back()->unreadable)
            code = worseOf(code, WithLosses);
    }
    if (dumps.empty()) {
        constexpr size_t kMostNamed = 8;
        for (const Beside &one : std::span(beside).first(std::min(beside.size(), kMostNamed)))
            complain(one.path + ": This is no dump of PyTorch's Flight Recorder (" + one.kind + ").");
        if (beside.size() > kMostNamed)
            complain(std::to_string(beside.size() - kMostNamed) + " more files are no dumps.");
        complain(
            "There is no dump to compare. PyTorch writes one per rank when the time of a collective runs out; "
            "TORCH_FR_BUFFER_SIZE (earlier TORCH_NCCL_TRACE_BUFFER_SIZE) is the number of calls in it, and must not "
            "be 0.");
        return Unreadable;
    }
    const HangReport report = hangOf(dumps, {});
    failed.keep(report);
    if (report.dumps.empty()) {
        for (const std::string &remark : report.remarks)
            complain(remark);
        complain("No dump could be placed: the name of its file must tell the rank (nccl_trace_rank_0, …), or end with "
                 "it.");
        return Unreadable;
    }
    if (report.dumps.size() < dumps.size() || report.dropped > 0)
        code = worseOf(code, WithLosses);
    options.json ? printJson(report, beside, failed, options.limit) : printText(report, beside, failed, options.limit);
    flushOutput();
    return code;
}

} // namespace

void addHangCommand(CLI::App &app, int &code)
{
    auto options = std::make_shared<HangOptions>();
    CLI::App *command = app.add_subcommand(
        "hang", "Say where the ranks of a job that hangs diverge, from dumps of PyTorch's Flight Recorder");
    command
        ->add_option("FOLDER", options->paths,
                     "The folder with the dumps of all ranks, or the dumps themselves: pickles or JSON, one per rank, "
                     "with the rank in their names (nccl_trace_rank_0, …)")
        ->required();
    command->add_flag("--json", options->json, "Print one JSON object instead of text");
    command->add_option("--limit", options->limit, "Number of divergences to print; 0 for all")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    command
        ->add_option("--inflate-limit", options->open.inflateLimit, "Reject archives that decompress to more than this")
        ->capture_default_str();
    command->footer(
        "\nThe dumps are compared group by group, and groups are told apart by their ranks, never by their name "
        "alone.\n"
        "The first place at which calls differ, or at which somebody waits, is a divergence: missing entry, late\n"
        "entry, another collective, another size, missing peer, stuck inside. Rings are compared only where they\n"
        "overlap. A rank without a dump is named, and never called late. Nothing in a pickle is executed.\n"
        "\nThe exit code is 0 with or without a divergence, 3 if a dump could not be read or used as a whole, and 1 "
        "if\n"
        "there is no dump.\n"
        "\nExamples:\n"
        "  riffle-cli hang /tmp/dumps\n"
        "  riffle-cli hang --json nccl_trace_rank_* | jq '.divergences[0]'\n");
    command->callback([options, &code] {
        if (gather(options->paths, Usable::Any, options->open, code))
            code = worseOf(code, runHang(*options));
    });
}

} // namespace riffle::cli
