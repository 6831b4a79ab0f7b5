// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/client/detached.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace riffle::record {
namespace {

namespace fs = std::filesystem;

TEST(DetachedTest, displays)
{
    const auto only = [](std::string name, const char *value) {
        return [name, value](const char *asked) { return name == asked ? value : nullptr; };
    };
    EXPECT_TRUE(hasDisplay(only("DISPLAY", ":0")));
    EXPECT_TRUE(hasDisplay(only("WAYLAND_DISPLAY", "wayland-0")));
    EXPECT_TRUE(hasDisplay(only("QT_QPA_PLATFORM", "offscreen")));
    EXPECT_FALSE(hasDisplay(only("DISPLAY", "")));
    EXPECT_FALSE(hasDisplay(only("HOME", "/root")));
}

TEST(DetachedTest, startsInASessionOfItsOwn)
{
    const fs::path file = fs::path(testing::TempDir()) / "riffle-window-session";
    fs::remove(file);
    const std::string text = "cut -d' ' -f1,6 /proc/$$/stat > '" + file.string() + ".part'; mv '" + file.string() +
                             ".part' '" + file.string() + "'";
    EXPECT_EQ(startDetached({"/bin/sh", "-c", text}), "");
    for (int wait = 0; wait < 1000 && !fs::exists(file); ++wait)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    int process = 0, session = -1;
    std::ifstream(file) >> process >> session;
    EXPECT_EQ(process, session);
    EXPECT_NE(startDetached({"/no/such/program"}).find("could not be started: No such file"), std::string::npos);
}

} // namespace
} // namespace riffle::record
