// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/base/output_file.h"

#include "tests/support/archives.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace riffle {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFileTest : public testing::Test {
protected:
    std::string file(const std::string &name, const std::string &text = "as it was")
    {
        const std::string path = m_folder.file(name);
        fs::create_directories(fs::path(path).parent_path());
        test::writeFile(path, text);
        return path;
    }
    /// Writes "new" to the path; returns the message of the error, if any.
    std::string write(const std::string &path, const std::vector<std::string> &inputs)
    {
        auto out = OutputFile::create(path, inputs);
        if (!out)
            return out.error().message;
        if (const auto written = (*out)->write("new"); !written)
            return written.error().message;
        const auto placed = (*out)->place();
        return placed ? std::string() : placed.error().message;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(OutputFileTest, ReplacesAFileThatIsNoInput)
{
    const std::string input = file("input"), other = file("other");
    EXPECT_EQ(write(other, {input}), "");
    EXPECT_EQ(test::readFile(other), "new");
    EXPECT_EQ(write(m_folder.file("fresh"), {input, m_folder.file("missing")}), "");
}

TEST_F(OutputFileTest, NeverReplacesAnInputUnderAnyName)
{
    const std::string input = file("folder/input");
    fs::create_symlink(input, m_folder.file("link"));
    fs::create_hard_link(input, m_folder.file("hard"));
    fs::create_directory_symlink(m_folder.file("folder"), m_folder.file("way"));
    for (const std::string &output : {input, m_folder.file("link"), m_folder.file("hard"), m_folder.file("way/input"),
                                      m_folder.file("folder/../folder/./input")})
        EXPECT_THAT(write(output, {m_folder.file("first"), input}), HasSubstr("is being read")) << output;
    EXPECT_THAT(write(input, {m_folder.file("link")}), HasSubstr("is being read"));
    EXPECT_EQ(test::readFile(input), "as it was");
}

TEST_F(OutputFileTest, NeverReplacesAFileInAnInputFolder)
{
    const std::string log = file("log/memory_trace/dp0/memory.log"), far = file("far.log");
    fs::create_symlink(far, m_folder.file("log/linked.log"));
    fs::create_directory_symlink(m_folder.file("log"), m_folder.file("way"));
    for (const std::string &input : {m_folder.file("log"), m_folder.file("way"), m_folder.file("log/")})
        for (const std::string &output : {log, far, m_folder.file("way/memory_trace/dp0/memory.log")})
            EXPECT_THAT(write(output, {input}), HasSubstr("is being read")) << input << " " << output;
    EXPECT_EQ(test::readFile(log), "as it was");
    EXPECT_EQ(write(m_folder.file("log/new.png"), {m_folder.file("log")}), "");
}

} // namespace
} // namespace riffle
