// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/itt.h"

#include "collector/src/load.h"
#include "collector/src/operator_text.h"
#include "collector/src/sources/itt_abi.h"
#include "collector/src/thread_ranges.h"
#include "riffle/wire.h"

#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>

// PyTorch's ITT observer is the one that a PyTorch without CUDA has. Its tasks arrive here on the program's own
// threads. Other users of ITT in the process (oneDNN, TBB, OpenMP) keep what they have without a collector: what they
// report is not recorded, and oneDNN reports its work once for each of its threads.

namespace riffle::collector {

namespace {

constexpr const char *kPyTorch = "PyTorch";

std::atomic<bool> g_connected{false};

bool isPyTorch(const itt::DomainHandle *domain)
{
    return domain && domain->name && std::strcmp(domain->name, kPyTorch) == 0;
}

/// The strings of the program. PyTorch asks for one with each task; the static part would search a list under a lock.
/// Handles are never freed, because the program keeps them, so readers need no lock.
class StringHandles {
public:
    itt::StringHandle *of(std::string_view text)
    {
        std::atomic<Entry *> &chain = m_chains[std::hash<std::string_view>()(text) % m_chains.size()];
        Entry *newest = chain.load(std::memory_order_acquire);
        if (Entry *known = found(newest, text))
            return &known->handle;
        if (m_count.fetch_add(1, std::memory_order_relaxed) >= kMost)
            return m_count.fetch_sub(1, std::memory_order_relaxed), &m_other;
        auto *entry = new (std::nothrow) Entry{{}, std::string(text), newest};
        if (!entry)
            return &m_other;
        entry->handle.text = entry->text.c_str();
        while (!chain.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel))
            ;
        return &entry->handle;
    }

private:
    struct Entry {
        itt::StringHandle handle;
        std::string text;
        Entry *next;
    };
    static Entry *found(Entry *entry, std::string_view text)
    {
        while (entry && entry->text != text)
            entry = entry->next;
        return entry;
    }

    static constexpr uint32_t kMost = 1 << 16; ///< a program may have a new name in every step
    std::array<std::atomic<Entry *>, 1 << 13> m_chains{};
    std::atomic<uint32_t> m_count{0};
    itt::StringHandle m_other{"(one of too many names)", nullptr, 0, nullptr, nullptr};
};
StringHandles &stringHandles()
{
    static auto &handles = *new StringHandles; // never destroyed: other threads may use it until the process has ended
    return handles;
}

/// PyTorch's open tasks of a thread.
struct OpenTasks {
    uint32_t depth = 0;
    uint32_t nodeDepth = 0;     ///< depth within the innermost backward node
    const char *node = nullptr; ///< the name of that node's function; null if there is none
};
thread_local OpenTasks t_tasks;

/// True for operators. ITT tells only names: operators have a namespace, or are the function of the backward node
/// around them; "detach" and "detach_" are the ones without either.
bool isOperatorName(std::string_view name, const OpenTasks &open)
{
    return name.find("::") != std::string_view::npos || name == "detach" || name == "detach_" ||
           (open.node && open.depth == open.nodeDepth && name == open.node);
}

// C calls these functions through pointers.
itt::StringHandle *ittString(const char *text)
{
    try {
        return text ? stringHandles().of(text) : nullptr;
    } catch (const std::exception &) {
        return nullptr; // out of memory
    }
}

void ittTaskBegin(const itt::DomainHandle *domain, itt::Id, itt::Id, const itt::StringHandle *handle)
{
    if (!isPyTorch(domain))
        return;
    const std::string_view name = handle && handle->text ? handle->text : "";
    pushRange(nullptr, name, isOperatorName(name, t_tasks) ? wire::kOperatorCategory : wire::kUserCategory);
    ++t_tasks.depth;
    if (name.starts_with(kBackwardNode)) {
        t_tasks.node = name.data() + kBackwardNode.size(); // of a handle, which is never freed
        t_tasks.nodeDepth = t_tasks.depth;
    }
}

void ittTaskEnd(const itt::DomainHandle *domain)
{
    if (!isPyTorch(domain) || t_tasks.depth == 0) // a task that began before us must not end a range of another source
        return;
    if (t_tasks.depth-- == t_tasks.nodeDepth)
        t_tasks.node = nullptr;
    popRange(nullptr);
}

template <typename F>
itt::Function asFunction(F *function)
{
    return reinterpret_cast<itt::Function>(function);
}

itt::Function ours(std::string_view name)
{
    if (name == "__itt_task_begin")
        return asFunction(ittTaskBegin);
    if (name == "__itt_task_end")
        return asFunction(ittTaskEnd);
    return name == "__itt_string_handle_create" ? asFunction(ittString) : nullptr;
}

void connect(itt::Global &module)
{
    bool isPyTorchs = false;
    for (const itt::DomainHandle *domain = module.domains; domain; domain = domain->next)
        isPyTorchs = isPyTorchs || isPyTorch(domain);
    for (const itt::Api *api = module.functions; api->name; ++api)
        if (api->place) {
            const itt::Function function = isPyTorchs ? ours(api->name) : nullptr;
            *api->place = function ? function : api->plainFunction;
        }
    if (isPyTorchs) {
        g_connected.store(true, std::memory_order_release);
        startIfAsked();
    }
}

} // namespace

bool isIttConnected() { return g_connected.load(std::memory_order_acquire); }

} // namespace riffle::collector

/// The static part of ITT calls this function in the library that it loads, under its lock.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" __attribute__((visibility("default"))) void __itt_api_init(riffle::collector::itt::Global *module, int)
{
    using namespace riffle::collector;
    if (!module || std::memcmp(module->magic, itt::kMagic, sizeof(itt::kMagic)) != 0 || module->major != itt::kMajor ||
        module->build < itt::kFirstBuild || !module->functions)
        return; // a static part that we do not know: its functions do nothing, as they are
    connect(*module);
}
