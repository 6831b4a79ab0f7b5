// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "model/analysis/facts/frame_class.h"

#include <gtest/gtest.h>

namespace riffle {
namespace {

TEST(ClassifyFrame, WhoseCode)
{
    const auto of = [](std::string_view file) { return classifyFrame(file, "f"); };
    EXPECT_EQ(of("torch/nn/modules/module.py"), FrameClass::Torch);
    EXPECT_EQ(of("/opt/conda/lib/python3.10/site-packages/torch/_ops.py"), FrameClass::Torch);
    EXPECT_EQ(of("/opt/conda/lib/python3.10/site-packages/transformers/trainer.py"), FrameClass::Library);
    EXPECT_EQ(of("transformers/trainer.py"), FrameClass::Library);
    EXPECT_EQ(of("/usr/lib/python3.11/threading.py"), FrameClass::Runtime);
    EXPECT_EQ(of("threading.py"), FrameClass::Runtime);
    EXPECT_EQ(of("<frozen importlib._bootstrap>"), FrameClass::Runtime);
    EXPECT_EQ(of("/pytorch/torch/csrc/autograd/engine.cpp"), FrameClass::Torch);
    EXPECT_EQ(of("libc.so.6"), FrameClass::Runtime);
    EXPECT_EQ(of("/home/me/train.py"), FrameClass::User);
    EXPECT_EQ(of("torchlike/model.py"), FrameClass::User);
}

TEST(ClassifyFrame, WithPathsOfWindows)
{
    const auto of = [](std::string_view file) { return classifyFrame(file, "f"); };
    EXPECT_EQ(of(R"(torch\cuda\__init__.py)"), FrameClass::Torch);
    EXPECT_EQ(of(R"(C:\Users\me\miniconda3\envs\t\Lib\site-packages\torch\_ops.py)"), FrameClass::Torch);
    EXPECT_EQ(of(R"(C:\venv\Lib\site-packages\transformers\trainer.py)"), FrameClass::Library);
    EXPECT_EQ(of(R"(C:\Python311\Lib\threading.py)"), FrameClass::Runtime);
    EXPECT_EQ(of(R"(C:\Python311\lib\multiprocessing\connection.py)"), FrameClass::Runtime);
    EXPECT_EQ(of(R"(D:\研究\train.py)"), FrameClass::User);
    EXPECT_EQ(of(R"(D:\work\lib\models.py)"), FrameClass::User);
}

/// A module of the standard library has its name; so has a file in a folder of the user's.
TEST(ClassifyFrame, InTheStandardLibrary)
{
    const auto of = [](std::string_view file) { return classifyFrame(file, "f"); };
    for (const char *file :
         {"inspect.py", "dataclasses.py", "_collections_abc.py", "re.py", "re/_compiler.py", "queue.py",
          "collections/abc.py", "concurrent/futures/thread.py", "__future__.py", "zoneinfo/_common.py"})
        EXPECT_EQ(of(file), FrameClass::Runtime) << file;
    for (const char *file :
         {"trace.py", "profile.py", "models/queue.py", "inspect", "types/x.py", "/home/me/lib/queue.py"})
        EXPECT_EQ(of(file), FrameClass::User) << file;
}

} // namespace
} // namespace riffle
