// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/environment.h"
#include "collector/client/settings.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace riffle::record {
namespace {

Lookup lookupIn(const std::map<std::string, std::string> &variables)
{
    return [&variables](const char *name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    };
}

TEST(RankTest, comesFromTheLauncher)
{
    for (const char *name :
         {"RANK", "PADDLE_TRAINER_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"})
        EXPECT_EQ(rankFromEnvironment(lookupIn({{name, "12"}})), 12) << name;
    EXPECT_EQ(rankFromEnvironment(lookupIn({{"RANK", "1"}, {"SLURM_PROCID", "0"}})), 1);
    EXPECT_EQ(rankFromEnvironment(lookupIn({{"RANK", "x"}, {"SLURM_PROCID", "3"}})), 3);
    for (const char *wrong : {"", "-1", "1x", " 1", "99999999999"})
        EXPECT_EQ(rankFromEnvironment(lookupIn({{"RANK", wrong}})), std::nullopt) << wrong;
}

TEST(SettingsTest, schedules)
{
    std::string error;
    const auto schedule = parseSchedule("wait=1,warmup=2,active=3,repeat=4,skip_first=5,skip_first_wait=1", error);
    ASSERT_TRUE(schedule) << error;
    EXPECT_EQ(schedule->text(), "wait=1,warmup=2,active=3,repeat=4,skip_first=5,skip_first_wait=1");
    EXPECT_EQ(parseSchedule("active=1", error)->text(),
              "wait=0,warmup=0,active=1,repeat=0,skip_first=0,skip_first_wait=0");
    for (const char *wrong :
         {"", "wait=1", "active=0", "active=-1", "active", "active=x", "active=1,foo=2", "active=1,,wait=2"})
        EXPECT_FALSE(parseSchedule(wrong, error)) << wrong;
}

TEST(SettingsTest, stepsAreOneCycle)
{
    std::string error;
    EXPECT_EQ(parseSteps("5:8", error)->text(), "wait=0,warmup=1,active=3,repeat=1,skip_first=4,skip_first_wait=0");
    EXPECT_EQ(parseSteps("0:2", error)->text(), "wait=0,warmup=0,active=2,repeat=1,skip_first=0,skip_first_wait=0");
    for (const char *wrong : {"", "5", "5:", ":5", "5:5", "6:5", "a:b", "1:2:3"})
        EXPECT_FALSE(parseSteps(wrong, error)) << wrong;
}

TEST(SettingsTest, ranks)
{
    std::string error;
    EXPECT_EQ(*parseRanks("0,2,8-10", error), (std::vector<int>{0, 2, 8, 9, 10}));
    for (const char *wrong : {"", "a", "3-1", "1,,2", "-1", "0-99999999"})
        EXPECT_FALSE(parseRanks(wrong, error)) << wrong;
}

TEST(EnvironmentTest, saysWhatTheJobNeeds)
{
    Settings settings;
    settings.folder = "/logs";
    settings.keepSeconds = 9;
    settings.ranks = {0, 3, 8, 9, 10, 12};
    settings.schedule = Schedule{1, 1, 3, 2, 0, 0};
    const auto environment =
        jobEnvironment(settings, {"/opt/lib.so", "/opt/python"}, "/tmp/r", lookupIn({{"PYTHONPATH", "/mine"}}));
    EXPECT_EQ(environment.set.at("CUDA_INJECTION64_PATH"), "/opt/lib.so");
    EXPECT_EQ(environment.set.at("NVTX_INJECTION64_PATH"), "/opt/lib.so");
    EXPECT_EQ(environment.set.at("RIFFLE_OPTIONS"),
              "dir=/logs\npreset=normal\nkeep_seconds=9\nranks=0,3,8-10,12\n"
              "schedule=wait=1,warmup=1,active=3,repeat=2,skip_first=0,skip_first_wait=0");
    EXPECT_EQ(environment.set.at("RIFFLE_AGENT"),
              "operators=1\nshapes=0\nschedule=wait=1,warmup=1,active=3,repeat=2,skip_first=0,"
              "skip_first_wait=0\nranks=0,3,8-10,12");
    EXPECT_EQ(environment.set.at("PYTHONPATH"), "/opt/python/startup:/mine");
    EXPECT_TRUE(environment.notes.empty());
}

TEST(EnvironmentTest, stepMarksLimitsAndDumpsAreTheCollectors)
{
    Settings settings;
    settings.folder = "/logs";
    settings.schedule = Schedule{1, 1, 3, 2, 0, 0};
    settings.stepMark = "train step";
    settings.timeLimit = 30;
    settings.dumpSignal = "USR2";
    settings.dumpSlowStep = SlowStep{0, "2.5"};
    settings.quiet = true;
    const auto environment = jobEnvironment(settings, {"/opt/lib.so", "/opt/python"}, "/tmp/r", lookupIn({}));
    EXPECT_EQ(environment.set.at("RIFFLE_OPTIONS"),
              "dir=/logs\npreset=normal\n"
              "schedule=wait=1,warmup=1,active=3,repeat=2,skip_first=0,skip_first_wait=0\n"
              "step_mark=train step\nmax_seconds=30\ndump_signal=USR2\n"
              "dump_slow_step_factor=2.5\nquiet=1");
    EXPECT_EQ(environment.set.at("RIFFLE_AGENT"), "operators=1\nshapes=0");
}

TEST(EnvironmentTest, memoryOptionsReachTheAgentAndTheCollector)
{
    Settings settings;
    settings.folder = "/logs";
    settings.shapes = settings.modules = true;
    const auto variable = [&](const char *name) {
        return jobEnvironment(settings, {"/opt/lib.so", "/opt/python"}, "/tmp/r", lookupIn({})).set.at(name);
    };
    const auto agent = [&] { return variable("RIFFLE_AGENT"); };
    EXPECT_EQ(agent(), "operators=1\nshapes=1\nmodules=1");
    EXPECT_EQ(variable("RIFFLE_OPTIONS"), "dir=/logs\npreset=normal\nshapes=1\nmodules=1");
    settings.modules = false;
    settings.memoryHistory = 500;
    EXPECT_EQ(agent(), "operators=1\nshapes=1\nmemory_history=500\ndir=/logs");
    EXPECT_EQ(variable("RIFFLE_OPTIONS"), "dir=/logs\npreset=normal\nshapes=1\nmemory_history=500");
    settings.memoryHistory = 0;
    settings.onOom = true;
    EXPECT_EQ(agent(), "operators=1\nshapes=1\non_oom=1\ndir=/logs");
    settings.shapes = false;
    EXPECT_EQ(jobEnvironment(settings, {"/opt/lib.so", "/opt/python"}, "/tmp/r", lookupIn({})).set.at("RIFFLE_OPTIONS"),
              "dir=/logs\npreset=normal");
}

TEST(EnvironmentTest, theObserverIsCompiledForThePythonThatTheCommandNames)
{
    Settings settings;
    settings.command = {"/opt/venv/bin/python3.11", "train.py"};
    const Parts parts{"/opt/lib.so", "/opt/python"};
    const auto variables = [&] { return jobEnvironment(settings, parts, "/tmp/r", lookupIn({})).set; };
    EXPECT_EQ(variables().count("RIFFLE_COMPILED_OBSERVER"), 0u);
    EXPECT_TRUE(observerCommand(settings, parts).empty());
    settings.compiledObserver = "any";
    EXPECT_EQ(variables().at("RIFFLE_COMPILED_OBSERVER"), "any");
    EXPECT_EQ(observerCommand(settings, parts),
              (std::vector<std::string>{"/usr/bin/env", "/opt/venv/bin/python3.11", "/opt/python/_observer_build.py"}));
    settings.command = {"torchrun", "train.py"};
    EXPECT_TRUE(observerCommand(settings, parts).empty());
}

TEST(EnvironmentTest, profilesOfTheProgramStartTheCollector)
{
    Settings settings;
    settings.folder = "/logs";
    settings.keepSeconds = 9;
    settings.modules = settings.insteadOfTorchProfiler = true;
    const auto environment = jobEnvironment(settings, {"/opt/lib.so", "/opt/python"}, "/tmp/r", lookupIn({}));
    EXPECT_EQ(environment.set.count("RIFFLE_OPTIONS"), 0u);
    EXPECT_EQ(environment.set.at("NVTX_INJECTION64_PATH"), "/opt/lib.so");
    const std::string agent = environment.set.at("RIFFLE_AGENT");
    EXPECT_NE(agent.find("\nmodules=1\n"), std::string::npos) << agent;
    EXPECT_NE(agent.find("\ninstead=dir=/logs;preset=normal;keep_seconds=9"), std::string::npos) << agent;
}

TEST(SettingsTest, memoryHistories)
{
    std::string error;
    EXPECT_EQ(parseMemoryHistory("100000", error), 100000);
    for (const char *wrong : {"", "0", "-1", "x", "1K", "99999999999"})
        EXPECT_FALSE(parseMemoryHistory(wrong, error)) << wrong;
}

TEST(SettingsTest, slowSteps)
{
    std::string error;
    EXPECT_EQ(parseSlowStep("250", error)->milliseconds, 250);
    EXPECT_EQ(parseSlowStep("250ms", error)->milliseconds, 250);
    EXPECT_EQ(parseSlowStep("3x", error)->timesMedian, "3");
    EXPECT_EQ(parseSlowStep("2.5x", error)->timesMedian, "2.5");
    for (const char *wrong : {"", "0", "x", "0x", "2.x", "2.55x", "-1", "250s", ".5x", "3xx"})
        EXPECT_FALSE(parseSlowStep(wrong, error)) << wrong;
}

TEST(EnvironmentTest, leavesAnotherToolItsInjection)
{
    const auto environment =
        jobEnvironment({}, {"/opt/lib.so", ""}, "/tmp/r", lookupIn({{"CUDA_INJECTION64_PATH", "/nsys.so"}}));
    EXPECT_FALSE(environment.set.contains("CUDA_INJECTION64_PATH"));
    ASSERT_EQ(environment.notes.size(), 2u);
    EXPECT_NE(environment.notes[0].find("/nsys.so"), std::string::npos);
    EXPECT_FALSE(environment.set.contains("PYTHONPATH"));
}

TEST(EnvironmentTest, findsTheCollectorBesideTheProgram)
{
    namespace fs = std::filesystem;
    const fs::path root = fs::path(testing::TempDir()) / "riffle-parts";
    fs::remove_all(root);
    fs::create_directories(root / "bin");
    Parts parts;
    std::string error;
    EXPECT_FALSE(findParts((root / "bin").string(), lookupIn({}), parts, error));
    EXPECT_NE(error.find("Set RIFFLE_COLLECTOR"), std::string::npos);
    fs::create_directories(root / "lib");
    std::ofstream(root / "lib" / "libriffle_collector.so") << "x";
    EXPECT_TRUE(findParts((root / "bin").string(), lookupIn({}), parts, error));
    EXPECT_EQ(parts.library, fs::canonical(root / "lib" / "libriffle_collector.so"));
    EXPECT_EQ(parts.python, "");
    Parts asked;
    EXPECT_FALSE(findParts((root / "bin").string(), lookupIn({{"RIFFLE_COLLECTOR", "/nowhere.so"}}), asked, error));
}

TEST(EnvironmentTest, findsThePythonPackage)
{
    namespace fs = std::filesystem;
    const fs::path root = fs::path(testing::TempDir()) / "riffle-python-parts";
    fs::remove_all(root);
    // An installation, and a wheel in which the program and the library are parts of the package.
    for (const auto &[prefix, package] : {std::pair("prefix", "prefix/share/riffle/python/riffle_profiler"),
                                          {"site-packages/riffle_profiler", "site-packages/riffle_profiler"}}) {
        for (const fs::path &folder : {root / prefix / "bin", root / prefix / "lib", root / package / "startup"})
            fs::create_directories(folder);
        std::ofstream(root / prefix / "lib" / "libriffle_collector.so") << "x";
        std::ofstream(root / package / "startup" / "sitecustomize.py") << "x";
        Parts parts;
        std::string error;
        ASSERT_TRUE(findParts((root / prefix / "bin").string(), lookupIn({}), parts, error)) << error;
        EXPECT_EQ(parts.library, fs::canonical(root / prefix / "lib" / "libriffle_collector.so"));
        EXPECT_EQ(parts.python, fs::canonical(root / package));
    }
}

} // namespace
} // namespace riffle::record
