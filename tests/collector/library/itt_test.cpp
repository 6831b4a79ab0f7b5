// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/itt_abi.h"
#include "model/ingest/collector_log/kineto_export.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <cstring>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

extern "C" void __itt_api_init(riffle::collector::itt::Global *module, int); // NOLINT(bugprone-reserved-identifier)

namespace riffle {
namespace {

using namespace test;
namespace itt = collector::itt;
using testing::HasSubstr;
using testing::Not;

using Begin = void (*)(const itt::DomainHandle *, itt::Id, itt::Id, const itt::StringHandle *);
using End = void (*)(const itt::DomainHandle *);
using Create = itt::StringHandle *(*)(const char *);

void before() {}
void plain() {}

/// The static part of ITT as a module has it, with one domain.
struct StaticPart {
    itt::Function begin = before, end = before, create = before, pause = before, mark = before;
    std::vector<itt::Api> functions{{"__itt_pause", &pause, before, plain, 2},
                                    {"__itt_string_handle_create", &create, before, plain, 4096},
                                    {"__itt_task_begin", &begin, before, nullptr, 4096},
                                    {"__itt_task_end", &end, before, nullptr, 4096},
                                    {"__itt_mark", &mark, before, nullptr, 8},
                                    {nullptr, nullptr, nullptr, nullptr, 0}};
    itt::DomainHandle domain{1, nullptr, nullptr, 0, nullptr, nullptr};
    itt::Global module{};

    explicit StaticPart(const char *name)
    {
        std::memcpy(module.magic, itt::kMagic, sizeof(itt::kMagic));
        module.major = itt::kMajor;
        module.build = 20250113;
        module.functions = functions.data();
        module.domains = &domain;
        domain.name = name;
    }
    void load() { __itt_api_init(&module, -1); }
    void pushTask(const char *text)
    {
        reinterpret_cast<Begin>(begin)(&domain, {}, {}, reinterpret_cast<Create>(create)(text));
    }
    void popTask() { reinterpret_cast<End>(end)(&domain); }
};

/// Starts a log in a folder; its ranges are the result of stop().
class Recording {
public:
    Recording() { EXPECT_EQ(riffle_start(("dir=" + m_folder.path() + "\ncupti=0\n").c_str()), RIFFLE_OK); }
    std::string stop()
    {
        EXPECT_EQ(riffle_stop(), RIFFLE_OK) << riffle_last_error();
        std::string json;
        for (const auto &log : std::filesystem::directory_iterator(m_folder.path()))
            EXPECT_TRUE(exportKinetoJson(log.path().string(),
                                         [&](std::string_view text) { return json += text, Result<void>(); }, {}));
        return json;
    }

private:
    const TemporaryFolder m_folder;
};

std::string event(const char *category, const char *name)
{
    return std::string("\"cat\":\"") + category + "\",\"name\":\"" + name + "\"";
}
size_t countOf(const std::string &text, const std::string &part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

TEST(Itt, tasksOfPyTorchAreOperatorsAndRangesByTheirNames)
{
    StaticPart torch("PyTorch");
    torch.load();
    EXPECT_EQ(riffle_itt_connected(), 1);
    Recording recording;
    const char *const node = "autograd::engine::evaluate_function: AddmmBackward0";
    for (const char *name : {"iteration", "aten::linear", "aten::addmm"})
        torch.pushTask(name);
    EXPECT_EQ(riffle_range_depth(), 3);
    for (int open = 0; open < 3; ++open)
        torch.popTask();
    std::thread([&] {
        torch.pushTask(node);
        torch.pushTask("AddmmBackward0"); // the function of the node
        torch.pushTask("AddmmBackward0"); // a range of the program that has the same name
        torch.popTask();
        torch.popTask();
        torch.popTask();
        torch.pushTask("AddmmBackward0");
        torch.pushTask("detach");
        torch.popTask();
        torch.popTask();
    }).join();
    const std::string json = recording.stop();
    EXPECT_EQ(countOf(json, event("user_annotation", "iteration")), 1u) << json;
    EXPECT_EQ(countOf(json, event("cpu_op", "aten::linear")), 1u);
    EXPECT_EQ(countOf(json, event("cpu_op", "aten::addmm")), 1u);
    EXPECT_EQ(countOf(json, event("cpu_op", node)), 1u);
    EXPECT_EQ(countOf(json, event("cpu_op", "AddmmBackward0")), 1u);
    EXPECT_EQ(countOf(json, event("user_annotation", "AddmmBackward0")), 2u);
    EXPECT_EQ(countOf(json, event("cpu_op", "detach")), 1u);
}

TEST(Itt, anEndWithoutATaskEndsNothing)
{
    StaticPart torch("PyTorch");
    torch.load();
    Recording recording;
    riffle_range_push("mine");
    torch.popTask(); // of a task that began before the library was loaded
    EXPECT_EQ(riffle_range_depth(), 1);
    itt::DomainHandle other{1, "oneDNN", nullptr, 0, nullptr, nullptr};
    reinterpret_cast<Begin>(torch.begin)(&other, {}, {}, reinterpret_cast<Create>(torch.create)("matmul"));
    reinterpret_cast<Begin>(torch.begin)(nullptr, {}, {}, nullptr);
    reinterpret_cast<Begin>(torch.begin)(&torch.domain, {}, {}, nullptr);
    reinterpret_cast<End>(torch.end)(&other);
    EXPECT_EQ(riffle_range_depth(), 2);
    torch.popTask();
    riffle_range_pop();
    const std::string json = recording.stop();
    EXPECT_THAT(json, HasSubstr("\"name\":\"mine\""));
    EXPECT_THAT(json, Not(HasSubstr("matmul")));
}

TEST(Itt, functionsThatAreNotOursAreThoseWithoutACollector)
{
    StaticPart torch("PyTorch");
    torch.load();
    EXPECT_EQ(torch.pause, plain);
    EXPECT_EQ(torch.mark, nullptr);
    StaticPart onednn("oneDNN");
    onednn.load();
    EXPECT_EQ(onednn.begin, nullptr);
    EXPECT_EQ(onednn.create, plain);
    for (auto change :
         {+[](itt::Global &module) { module.magic[3] = 0; }, +[](itt::Global &module) { module.major = 4; },
          +[](itt::Global &module) { module.build = 20101001; },
          +[](itt::Global &module) { module.functions = nullptr; }}) {
        StaticPart unknown("PyTorch");
        change(unknown.module);
        unknown.load();
        EXPECT_EQ(unknown.begin, before);
        EXPECT_EQ(unknown.pause, before);
    }
    __itt_api_init(nullptr, -1);
}

TEST(Itt, stringsHaveOneHandle)
{
    StaticPart torch("PyTorch");
    torch.load();
    const auto create = reinterpret_cast<Create>(torch.create);
    EXPECT_EQ(create("aten::mm"), create(std::string("aten::mm").c_str()));
    EXPECT_NE(create("aten::mm"), create("aten::add"));
    EXPECT_STREQ(create("aten::mm")->text, "aten::mm");
    EXPECT_EQ(create(nullptr), nullptr);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            for (int number = 0; number < 10'000; ++number) {
                const std::string text = "step " + std::to_string(number);
                ASSERT_EQ(create(text.c_str())->text, text);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    for (int number = 0; number < 70'000; ++number) // more than are kept
        ASSERT_NE(create(("name " + std::to_string(number)).c_str()), nullptr);
    EXPECT_STREQ(create("one more")->text, "(one of too many names)");
    EXPECT_STREQ(create("aten::mm")->text, "aten::mm");
}

} // namespace
} // namespace riffle
