// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/engine.h"
#include "collector/src/load.h"
#include "collector/src/sources/nvtx_abi.h"
#include "collector/src/thread_ranges.h"
#include "riffle/wire.h"

#include <atomic>
#include <bit>
#include <cstring>
#include <string>

// NVTX loads the library that NVTX_INJECTION64_PATH names, once per module that uses NVTX, and lets it replace NVTX's
// empty functions. Ranges, marks and names arrive here on the program's own threads.

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
namespace riffle::collector::nvtx {
static_assert(sizeof(EventAttributes) == sizeof(nvtxEventAttributes_t));
static_assert(offsetof(EventAttributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(EventAttributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(int(kAscii) == int(NVTX_MESSAGE_TYPE_ASCII) && int(kUnicode) == int(NVTX_MESSAGE_TYPE_UNICODE) &&
              int(kRegistered) == int(NVTX_MESSAGE_TYPE_REGISTERED));
static_assert(int(kUint64) == int(NVTX_PAYLOAD_TYPE_UNSIGNED_INT64) && int(kFloat32) == int(NVTX_PAYLOAD_TYPE_FLOAT));
} // namespace riffle::collector::nvtx
#endif

namespace riffle::collector {

namespace {

using nvtx::EventAttributes;

/// Converts wide text to UTF-8; invalid characters become '?'.
std::string narrow(const wchar_t *text)
{
    std::string utf8;
    for (; text && *text && utf8.size() < wire::kMaxTextBytes; ++text) {
        const auto code = static_cast<uint32_t>(*text);
        if (code < 0x80) {
            utf8 += static_cast<char>(code);
        } else if (code < 0x800) {
            utf8 += static_cast<char>(0xC0 | code >> 6);
            utf8 += static_cast<char>(0x80 | (code & 0x3F));
        } else if (code < 0x10000 && (code < 0xD800 || code >= 0xE000)) {
            utf8 += static_cast<char>(0xE0 | code >> 12);
            utf8 += static_cast<char>(0x80 | (code >> 6 & 0x3F));
            utf8 += static_cast<char>(0x80 | (code & 0x3F));
        } else if (code >= 0x10000 && code < 0x110000) {
            utf8 += static_cast<char>(0xF0 | code >> 18);
            utf8 += static_cast<char>(0x80 | (code >> 12 & 0x3F));
            utf8 += static_cast<char>(0x80 | (code >> 6 & 0x3F));
            utf8 += static_cast<char>(0x80 | (code & 0x3F));
        } else {
            utf8 += '?';
        }
    }
    return utf8;
}

/// A registered string. Registered strings and domains live as long as the process, because the program keeps the
/// handles.
struct Registered {
    std::string text;
};
const void *registered(std::string text) { return new Registered{std::move(text)}; }
const Domain *madeDomain(std::string name) { return new Domain{(new std::string(std::move(name)))->c_str()}; }

std::string_view view(const char *text) { return text ? std::string_view(text) : std::string_view(); }

/// The names that programs give to categories. Entries are never freed, so readers need no lock.
class CategoryNames {
public:
    void add(const Domain *domain, uint32_t id, std::string name)
    {
        std::string room;
        if (m_count >= kMost || of(domain, id, room) == name)
            return; // a program that names its category in every call would use ever more memory
        ++m_count;
        Entry *entry = new Entry{domain, id, std::move(name), m_newest.load()};
        while (!m_newest.compare_exchange_weak(entry->next, entry))
            ;
    }
    /// The name for the log: NVTX's own category for events without one, a number for a category without a name.
    std::string_view of(const Domain *domain, uint32_t id, std::string &room) const
    {
        if (id == 0)
            return wire::kNvtxCategory;
        for (const Entry *entry = m_newest; entry; entry = entry->next)
            if (entry->domain == domain && entry->id == id)
                return entry->name;
        return room = "nvtx category " + std::to_string(id);
    }

private:
    struct Entry {
        const Domain *domain;
        uint32_t id;
        std::string name;
        const Entry *next;
    };
    static constexpr uint32_t kMost = 4096;
    std::atomic<const Entry *> m_newest{nullptr};
    std::atomic<uint32_t> m_count{0};
};
CategoryNames &categoryNames()
{
    static auto &names = *new CategoryNames; // never destroyed: other threads may use it until the process has ended
    return names;
}

/// The content of an event, copied only where necessary.
struct Event {
    std::string wide; ///< owns the name if it had to be converted
    std::string room; ///< owns the category if it has no name
    std::string_view name, category = wire::kNvtxCategory;
    uint8_t payloadKind = wire::kNoPayload;
    uint64_t payload = 0;
    uint32_t color = 0;

    explicit Event(std::string_view text) : name(text) {}
    Event(const Domain *domain, const EventAttributes *from)
    {
        if (!from)
            return;
        category = categoryNames().of(domain, from->category, room);
        switch (from->messageType) {
        case nvtx::kAscii: name = view(from->message.ascii); break;
        case nvtx::kUnicode: name = wide = narrow(from->message.unicode); break;
        case nvtx::kRegistered:
            if (from->message.registered)
                name = static_cast<const Registered *>(from->message.registered)->text;
            break;
        default: break;
        }
        color = from->colorType == 1 ? from->color : 0;
        const auto set = [&](wire::PayloadKind kind, uint64_t bits) {
            payloadKind = kind;
            payload = bits;
        };
        switch (from->payloadType) {
        case nvtx::kUint64: set(wire::kUnsigned, from->payload.u64); break;
        case nvtx::kInt64: set(wire::kSigned, static_cast<uint64_t>(from->payload.i64)); break;
        case nvtx::kDouble: set(wire::kFloat, std::bit_cast<uint64_t>(from->payload.f64)); break;
        case nvtx::kUint32: set(wire::kUnsigned, from->payload.u32); break;
        case nvtx::kInt32: set(wire::kSigned, static_cast<uint64_t>(int64_t{from->payload.i32})); break;
        case nvtx::kFloat32: set(wire::kFloat, std::bit_cast<uint64_t>(double{from->payload.f32})); break;
        default: break;
        }
    }
};

Engine *following()
{
    Engine *engine = Engine::existing();
    return engine && engine->follows() ? engine : nullptr;
}

int push(const Domain *domain, const Event &event)
{
    return pushRange(domain, event.name, event.category, event.payloadKind, event.payload, event.color);
}
int push(const Domain *domain, const EventAttributes *attributes) { return push(domain, Event(domain, attributes)); }
void add(RecordKind kind, const Domain *domain, const Event &event)
{
    if (Engine *engine = Engine::existing(); engine && engine->records()) {
        if (ThreadLog *log = engine->threadLog())
            log->add(kind, domain, event.name, event.category, event.payloadKind, event.payload, event.color);
        else
            engine->lose();
    }
}
void mark(const Domain *domain, const EventAttributes *attributes)
{
    add(RecordKind::Mark, domain, Event(domain, attributes));
}
/// Starts a range and returns its id. The lowest bit of the id is set if the start was recorded; then the end is
/// recorded too, even during a pause.
uint64_t begin(const Domain *domain, const Event &event)
{
    static std::atomic<uint64_t> next{2};
    uint64_t id = next.fetch_add(2, std::memory_order_relaxed);
    if (Engine *engine = following()) {
        engine->began(event.name);
        if (ThreadLog *log = engine->threadLog(); !log) {
            engine->lose();
        } else if (engine->records()) {
            id |= 1;
            log->start(id, domain, event.name, event.category, event.payloadKind, event.payload, event.color);
        }
    }
    return id;
}
void end(uint64_t id)
{
    if (Engine *engine = Engine::existing(); engine && (id & 1)) {
        if (ThreadLog *log = engine->threadLog())
            log->add(RecordKind::RangeEnd, nullptr, {}, {}, 0, id);
        else
            engine->lose();
    }
}
void nameThread(uint32_t osThread, std::string_view name)
{
    Event event(name);
    event.payload = osThread;
    add(RecordKind::ThreadName, nullptr, event);
}

// C calls these functions through pointers, so they need no names of C, which GCC 12 would define twice without
// optimisation.
void nvtxMarkEx(const EventAttributes *event) { mark(nullptr, event); }
void nvtxMarkAscii(const char *text) { add(RecordKind::Mark, nullptr, Event(view(text))); }
void nvtxMarkWide(const wchar_t *text)
{
    const std::string name = narrow(text);
    add(RecordKind::Mark, nullptr, Event(name));
}
uint64_t nvtxStartEx(const EventAttributes *event) { return begin(nullptr, Event(nullptr, event)); }
uint64_t nvtxStartAscii(const char *text) { return begin(nullptr, Event(view(text))); }
uint64_t nvtxStartWide(const wchar_t *text)
{
    const std::string name = narrow(text);
    return begin(nullptr, Event(name));
}
void nvtxEnd(uint64_t id) { end(id); }
int nvtxPushEx(const EventAttributes *event) { return push(nullptr, event); }
int nvtxPushAscii(const char *text) { return push(nullptr, Event(view(text))); }
int nvtxPushWide(const wchar_t *text)
{
    const std::string name = narrow(text);
    return push(nullptr, Event(name));
}
int nvtxPop() { return popRange(nullptr); }
void nvtxCategoryAscii(uint32_t id, const char *text) { categoryNames().add(nullptr, id, std::string(view(text))); }
void nvtxCategoryWide(uint32_t id, const wchar_t *text) { categoryNames().add(nullptr, id, narrow(text)); }
void nvtxThreadAscii(uint32_t thread, const char *text) { nameThread(thread, view(text)); }
void nvtxThreadWide(uint32_t thread, const wchar_t *text) { nameThread(thread, narrow(text)); }
void nvtxDomainMark(const Domain *domain, const EventAttributes *event) { mark(domain, event); }
uint64_t nvtxDomainStart(const Domain *domain, const EventAttributes *event)
{
    return begin(domain, Event(domain, event));
}
void nvtxDomainEnd(const Domain *, uint64_t id) { end(id); }
int nvtxDomainPush(const Domain *domain, const EventAttributes *event) { return push(domain, event); }
int nvtxDomainPop(const Domain *domain) { return popRange(domain); }
void nvtxDomainCategoryAscii(const Domain *domain, uint32_t id, const char *text)
{
    categoryNames().add(domain, id, std::string(view(text)));
}
void nvtxDomainCategoryWide(const Domain *domain, uint32_t id, const wchar_t *text)
{
    categoryNames().add(domain, id, narrow(text));
}
const void *nvtxRegisterAscii(const Domain *, const char *text) { return registered(std::string(view(text))); }
const void *nvtxRegisterWide(const Domain *, const wchar_t *text) { return registered(narrow(text)); }
const Domain *nvtxDomainAscii(const char *text) { return madeDomain(std::string(view(text))); }
const Domain *nvtxDomainWide(const wchar_t *text) { return madeDomain(narrow(text)); }

/// Replaces functions of one module of NVTX with ours; functions that the module does not have are skipped.
class Table {
public:
    Table(const nvtx::Callbacks &callbacks, nvtx::Module module)
    {
        if (!callbacks.moduleFunctions(module, &m_functions, &m_count))
            m_count = 0;
    }
    template <typename F>
    void set(unsigned id, F *function)
    {
        if (id < m_count && m_functions[id])
            *m_functions[id] = reinterpret_cast<nvtx::Function>(function);
    }

private:
    nvtx::Function **m_functions = nullptr;
    unsigned m_count = 0;
};

void setCore(Table table)
{
    table.set(nvtx::kMarkEx, nvtxMarkEx);
    table.set(nvtx::kMarkA, nvtxMarkAscii);
    table.set(nvtx::kMarkW, nvtxMarkWide);
    table.set(nvtx::kRangeStartEx, nvtxStartEx);
    table.set(nvtx::kRangeStartA, nvtxStartAscii);
    table.set(nvtx::kRangeStartW, nvtxStartWide);
    table.set(nvtx::kRangeEnd, nvtxEnd);
    table.set(nvtx::kRangePushEx, nvtxPushEx);
    table.set(nvtx::kRangePushA, nvtxPushAscii);
    table.set(nvtx::kRangePushW, nvtxPushWide);
    table.set(nvtx::kRangePop, nvtxPop);
    table.set(nvtx::kNameCategoryA, nvtxCategoryAscii);
    table.set(nvtx::kNameCategoryW, nvtxCategoryWide);
    table.set(nvtx::kNameOsThreadA, nvtxThreadAscii);
    table.set(nvtx::kNameOsThreadW, nvtxThreadWide);
}

void setCore2(Table table)
{
    table.set(nvtx::kDomainMarkEx, nvtxDomainMark);
    table.set(nvtx::kDomainRangeStartEx, nvtxDomainStart);
    table.set(nvtx::kDomainRangeEnd, nvtxDomainEnd);
    table.set(nvtx::kDomainRangePushEx, nvtxDomainPush);
    table.set(nvtx::kDomainRangePop, nvtxDomainPop);
    table.set(nvtx::kDomainNameCategoryA, nvtxDomainCategoryAscii);
    table.set(nvtx::kDomainNameCategoryW, nvtxDomainCategoryWide);
    table.set(nvtx::kDomainRegisterStringA, nvtxRegisterAscii);
    table.set(nvtx::kDomainRegisterStringW, nvtxRegisterWide);
    table.set(nvtx::kDomainCreateA, nvtxDomainAscii);
    table.set(nvtx::kDomainCreateW, nvtxDomainWide);
}

} // namespace

} // namespace riffle::collector

/// NVTX calls this function in the library that it loads. It returns 1 if the functions have been set.
extern "C" __attribute__((visibility("default"))) int
InitializeInjectionNvtx2(riffle::collector::nvtx::GetExportTable getTable)
{
    using namespace riffle::collector;
    if (!getTable)
        return 0;
    const auto *callbacks = static_cast<const nvtx::Callbacks *>(getTable(nvtx::kCallbacks));
    if (!callbacks || callbacks->structSize < sizeof(nvtx::Callbacks))
        return 0;
    startIfAsked();
    setCore({*callbacks, nvtx::kCore});
    setCore2({*callbacks, nvtx::kCore2});
    return 1;
}
