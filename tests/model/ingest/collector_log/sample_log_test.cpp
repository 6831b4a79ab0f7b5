// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/trace/details.h"
#include "tests/support/sample_log.h"

#include "model/ingest/importer.h"
#include "tests/support/source_path.h"
#include "tests/support/text_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

using namespace riffle;

namespace {
const char *const kFile = "resources/sample/log/000001.part";
}

// RIFFLE_WRITE_SAMPLE=1 writes the file anew after a change of its generator.
TEST(SampleLog, IsWhatItsGeneratorWrites)
{
    const std::string path = test::sourcePath(kFile), bytes = test::sampleLog().bytes();
    if (std::getenv("RIFFLE_WRITE_SAMPLE"))
        std::ofstream(path, std::ios::binary) << bytes;
    const auto bundled = test::readText(path);
    ASSERT_TRUE(bundled);
    EXPECT_TRUE(*bundled == bytes) << "The file differs from what its generator writes.";
}

TEST(SampleLog, IsRecordedWithoutLoss)
{
    const auto trace = importTrace(test::sourcePath(kFile), {}, {});
    ASSERT_TRUE(trace) << trace.error().text();
    EXPECT_EQ((*trace)->steps.size(), 8u);
    EXPECT_EQ((*trace)->report.total(Severity::Lost), 0u);
    EXPECT_GT(detailCount(**trace, &Segment::device), 100u);
}
