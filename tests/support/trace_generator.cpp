// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/trace_generator.h"

#include "tests/support/kineto_writer.h"
#include "tests/support/op_catalogue.h"
#include "tests/support/training_run.h"

#include <algorithm>
#include <array>

namespace riffle::test {

namespace {

constexpr std::array<const char *, TrainingRun::kOuterFrames> kOuterFrames = {
    "torchrun(8): <module>",
    "torch/distributed/elastic/multiprocessing/errors/__init__.py(355): wrapper",
    "train.py(389): <module>",
    "train.py(371): main",
    "hydra/main.py(94): decorated_main",
    "hydra/_internal/utils.py(394): _run_hydra",
    "hydra/_internal/utils.py(457): _run_app",
    "hydra/_internal/hydra.py(132): run",
    "hydra/core/utils.py(186): run_job",
    "train.py(344): run",
    "trainer/loop.py(118): fit",
    "trainer/loop.py(164): _fit_impl",
    "trainer/epoch.py(88): advance",
    "train.py(301): train_one_epoch",
};

/// Runs all steps from the start and hands every record to `write`. Returns the end of the last step.
template <typename Write>
std::int64_t playSteps(const TraceOptions &options, OpCatalogue &catalogue, int steps, Write write)
{
    TrainingRun run(options, catalogue);
    for (int step = 0; step < steps; ++step) {
        for (const Record &record : run.playStep())
            write(record);
    }
    return run.now();
}

void writePass(KinetoWriter &writer, const TraceOptions &options, OpCatalogue &catalogue, int steps, std::int64_t end)
{
    playSteps(options, catalogue, steps, [&](const Record &record) { writer.hostRecord(record); });
    if (options.withPython) {
        for (int i = 0; i < TrainingRun::kOuterFrames; ++i) {
            Record frame{.kind = RecordKind::Python};
            frame.name = catalogue.name(kOuterFrames[static_cast<std::size_t>(i)]);
            frame.begin = options.startNanoseconds - 20'000 + i * 1000;
            frame.end = end + 20'000 - i * 1000;
            frame.first = i + 1;
            frame.second = i;
            frame.third = -1;
            writer.pythonRecord(frame);
        }
        playSteps(options, catalogue, steps, [&](const Record &record) {
            if (record.kind == RecordKind::Python)
                writer.pythonRecord(record);
        });
    }
    playSteps(options, catalogue, steps, [&](const Record &record) { writer.gpuRecord(record); });
}

struct Measure {
    std::uint64_t once = 0;
    std::uint64_t step = 0;
};

Measure measure(const TraceOptions &options)
{
    OpCatalogue catalogue(options);
    ByteSink sink(ByteSink::toNowhere());
    KinetoWriter writer(options, catalogue, sink);
    writer.header();
    writer.footer(0, 0);
    const std::uint64_t once = sink.bytesWritten();
    writePass(writer, options, catalogue, 1, 0);
    return {once, sink.bytesWritten() - once};
}

} // namespace

TraceCounts generateTrace(const TraceOptions &wanted, ByteSink &sink)
{
    TraceOptions options = wanted;
    if (options.layers <= 0) {
        options.layers = 12;
        const Measure full = measure(options);
        if (options.targetBytes < full.once + full.step) {
            const std::uint64_t room = options.targetBytes > full.once ? options.targetBytes - full.once : 0;
            options.layers = static_cast<int>(std::clamp<std::uint64_t>(12 * room / full.step, 1, 12));
        }
    }
    int steps = options.steps;
    if (steps <= 0) {
        const Measure size = measure(options);
        const std::uint64_t room = options.targetBytes > size.once ? options.targetBytes - size.once : 0;
        steps = static_cast<int>(std::max<std::uint64_t>(1, (room + size.step / 2) / size.step));
    }

    OpCatalogue catalogue(options);
    const std::uint64_t before = sink.bytesWritten();
    const std::int64_t end = playSteps(options, catalogue, steps, [](const Record &) {});
    KinetoWriter writer(options, catalogue, sink);
    writer.header();
    writePass(writer, options, catalogue, steps, end);
    writer.footer(options.startNanoseconds - 120'000, end + 120'000);
    TraceCounts counts = writer.counts();
    counts.bytes = sink.bytesWritten() - before;
    counts.steps = steps;
    return counts;
}

} // namespace riffle::test
