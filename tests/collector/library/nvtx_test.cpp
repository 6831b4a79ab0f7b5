// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/nvtx_abi.h"
#include "model/ingest/collector_log/kineto_export.h"
#include "riffle/collector.h"
#include "tests/support/archives.h"

#include <array>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

extern "C" int InitializeInjectionNvtx2(riffle::collector::nvtx::GetExportTable getTable);

namespace riffle {
namespace {

using namespace test;
using collector::nvtx::EventAttributes;
using testing::HasSubstr;
using testing::Not;

std::array<collector::nvtx::Function, 16> coreSlots, domainSlots;
std::array<collector::nvtx::Function *, 16> corePlaces, domainPlaces;

int moduleFunctions(uint32_t module, collector::nvtx::Function ***table, unsigned *count)
{
    auto &places = module == collector::nvtx::kCore ? corePlaces : domainPlaces;
    *table = places.data();
    *count = static_cast<unsigned>(places.size());
    return 1;
}

/// Connects the collector to tables as NVTX's headers have them.
void connect()
{
    static const collector::nvtx::Callbacks callbacks{sizeof(callbacks), moduleFunctions};
    for (size_t at = 0; at < coreSlots.size(); ++at) {
        coreSlots[at] = domainSlots[at] = [] {}; // NVTX's own, so that they are there to be replaced
        corePlaces[at] = &coreSlots[at];
        domainPlaces[at] = &domainSlots[at];
    }
    ASSERT_EQ(InitializeInjectionNvtx2([](uint32_t) -> const void * { return &callbacks; }), 1);
}

template <typename F>
F core(unsigned id)
{
    return reinterpret_cast<F>(coreSlots[id]);
}
template <typename F>
F domain(unsigned id)
{
    return reinterpret_cast<F>(domainSlots[id]);
}

EventAttributes named(const char *name, uint32_t category)
{
    EventAttributes event{};
    event.version = 3;
    event.size = sizeof(event);
    event.category = category;
    event.messageType = collector::nvtx::kAscii;
    event.message.ascii = name;
    return event;
}

/// The lines of the log's JSON that contain `name`.
std::string linesOf(const std::string &json, const std::string &name)
{
    std::string found;
    for (size_t at = json.find('\n'); at != json.npos;) {
        const size_t end = json.find('\n', at + 1);
        const std::string line = json.substr(at, end - at);
        if (line.find(name) != line.npos)
            found += line;
        at = end;
    }
    return found;
}

TEST(Nvtx, rangesWithIdsKeepPayloadColourAndCategory)
{
    const TemporaryFolder folder;
    connect();
    ASSERT_EQ(riffle_start(("dir=" + folder.path() + "\ncupti=0\n").c_str()), RIFFLE_OK) << riffle_last_error();
    const void *mine = domain<const void *(*)(const char *)>(collector::nvtx::kDomainCreateA)("mine");
    core<void (*)(uint32_t, const char *)>(collector::nvtx::kNameCategoryA)(7, "loading");
    domain<void (*)(const void *, uint32_t, const char *)>(collector::nvtx::kDomainNameCategoryA)(mine, 7, "storing");

    EventAttributes event = named("one", 7);
    event.payloadType = collector::nvtx::kInt64;
    event.payload.i64 = -5;
    event.colorType = 1;
    event.color = 0xFF00FF00;
    const uint64_t one = core<uint64_t (*)(const EventAttributes *)>(collector::nvtx::kRangeStartEx)(&event);
    std::thread([&] { core<void (*)(uint64_t)>(collector::nvtx::kRangeEnd)(one); }).join();
    event = named("two", 7);
    const uint64_t two =
        domain<uint64_t (*)(const void *, const EventAttributes *)>(collector::nvtx::kDomainRangeStartEx)(mine, &event);
    domain<void (*)(const void *, uint64_t)>(collector::nvtx::kDomainRangeEnd)(mine, two);
    event = named("three", 8);
    core<int (*)(const EventAttributes *)>(collector::nvtx::kRangePushEx)(&event);
    core<int (*)()>(collector::nvtx::kRangePop)();
    core<int (*)(const char *)>(collector::nvtx::kRangePushA)("four, sizes = foo");
    core<int (*)()>(collector::nvtx::kRangePop)();
    ASSERT_EQ(riffle_stop(), RIFFLE_OK);

    std::string json;
    for (const auto &log : std::filesystem::directory_iterator(folder.path()))
        ASSERT_TRUE(exportKinetoJson(log.path().string(),
                                     [&](std::string_view text) { return json += text, Result<void>(); }, {}));
    const std::string first = linesOf(json, "\"one\"");
    EXPECT_THAT(first, HasSubstr("\"cat\":\"loading\""));
    EXPECT_THAT(first, HasSubstr("\"payload\":-5"));
    EXPECT_THAT(first, HasSubstr("\"color\":\"#ff00ff00\""));
    EXPECT_THAT(linesOf(json, "\"two\""), HasSubstr("\"cat\":\"storing\""));
    EXPECT_THAT(linesOf(json, "\"two\""), Not(HasSubstr("payload")));
    EXPECT_THAT(linesOf(json, "\"three\""), HasSubstr("\"cat\":\"nvtx category 8\""));
    EXPECT_THAT(linesOf(json, "\"four, sizes = foo\""), HasSubstr("\"cat\":\"nvtx\""));
}

} // namespace
} // namespace riffle
