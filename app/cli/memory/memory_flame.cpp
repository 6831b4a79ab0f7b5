// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/memory/memory_flame.h"

#include "app/cli/command.h"
#include "app/cli/output.h"
#include "model/analysis/memory/alive/memory_grouping.h"
#include "model/analysis/table/table_builder.h"
#include "model/base/format.h"
#include "model/ingest/text_output.h"

#include <fmt/format.h>

#include <memory>
#include <span>

namespace riffle::cli {

namespace {

constexpr double kFlameWidth = 1200;

std::string flameTip(const MemoryTree &tree, uint32_t first, uint32_t count)
{
    uint64_t bytes = 0, pending = 0, allocations = 0; // wrap if sizes are impossible
    uint32_t node = first;
    for (uint32_t at = 0; at < count && node < tree.size(); ++at, node = tree.end(node)) {
        bytes += static_cast<uint64_t>(tree.bytes[node]);
        pending += static_cast<uint64_t>(tree.pending[node]);
        allocations += static_cast<uint64_t>(tree.counts[node]);
    }
    const auto text = [](uint64_t number) { return formatBytes(static_cast<int64_t>(number)); };
    std::string tip =
        count == 1 ? tree.names[first]
                   : fmt::format("{} narrow frames, of which the first is {}", formatCount(count), tree.names[first]);
    tip += fmt::format("\n{}, {} of all bytes, {}", text(bytes),
                       formatShare(ratio(static_cast<int64_t>(bytes), tree.totalBytes())),
                       formatCounted(static_cast<int64_t>(allocations), "allocation", "allocations"));
    if (count == 1 && tree.own[first] != 0 && tree.own[first] != tree.bytes[first])
        tip += fmt::format("\n{} not in any frame below", formatBytes(tree.own[first]));
    if (pending != 0)
        tip += fmt::format("\n{} freed, but still waiting for other streams", text(pending));
    return tip;
}

/// Returns an Error unless the name is that of an SVG file, perhaps a compressed one.
Result<void> checkPictureName(std::string name)
{
    for (const char *packed : {".gz", ".zst"})
        if (name.ends_with(packed))
            name.resize(name.size() - std::string_view(packed).size());
    if (name == "-" || name.ends_with(".svg"))
        return {};
    return Error{"The picture of a snapshot is an SVG file. Use a name that ends with .svg, or - for stdout.", name,
                 std::nullopt, ErrorKind::Question};
}

} // namespace

FlameGraph memoryFlame(MemoryTree tree, std::string title)
{
    const auto shared = std::make_shared<const MemoryTree>(std::move(tree));
    FlameGraph graph;
    graph.tree = IcicleTree(shared->bytes, shared->depth);
    graph.title = std::move(title);
    graph.name = [shared](uint32_t node) { return shared->shorts[node]; };
    graph.tip = [shared](uint32_t node, uint32_t count) { return flameTip(*shared, node, count); };
    return graph;
}

int instantPicture(const std::vector<std::string> &paths, const MemoryQuestion &question,
                   const InstantQuestion &instant, const StoreUse &use)
{
    const auto moment = parseMemoryMoment(question.at.empty() ? "peak" : question.at);
    const auto by = question.by.empty() ? MemoryGrouping::Stack : memoryGroupingOf(question.by);
    const auto named = checkPictureName(question.picture);
    if (!moment || !by || !named) {
        complain(!moment ? moment.error().text()
                 : !named
                     ? named.error().text()
                     : "A flame graph cannot be grouped by " + question.by + ". Use " + groupingWords(false) + ".");
        return Usage;
    }
    if (question.format != "table" || question.limit >= 0 || !instant.unit.empty()) {
        complain("--format, --limit and --unit are for tables, not for pictures.");
        return Usage;
    }
    using Output = std::unique_ptr<TextOutput>;
    const Result<Output> file =
        question.picture == "-" ? Output() : TextOutput::create(question.picture, question.inputs);
    if (!file) {
        complain(file.error().text());
        return Unreadable;
    }
    int code = Good;
    OpenedFacts opened;
    std::vector<FlameGraph> graphs;
    const auto add = [&](const SnapshotInstants &at) {
        for (const MemoryInstant &one : at.instants)
            graphs.push_back(memoryFlame(groupMemory(at.facts, std::span(&one, 1), *by, at.categories),
                                         (paths.size() > 1 ? at.path + ": " : "") +
                                             describeInstant(at.facts, one.device, one.event)));
    };
    if (!visitInstants(paths, instant, *moment, *by == MemoryGrouping::Category, use, opened, code, add))
        return code;
    code = opened.finish(code);
    if (code == Unreadable)
        return code;
    const std::string picture = flameFile(graphs, kFlameWidth);
    const Result<void> written = *file ? (*file)->write(picture) : toStandardOutput(picture);
    const Result<void> placed = written && *file ? (*file)->place() : written;
    if (!placed) {
        complain(placed.error().text());
        return Unreadable;
    }
    return code;
}

} // namespace riffle::cli
