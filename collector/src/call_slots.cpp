// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/call_slots.h"

#include "collector/src/loaded_library.h"

#include <atomic>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace riffle::collector {

namespace {

#if defined(__aarch64__)
constexpr uint32_t kJumpSlot = R_AARCH64_JUMP_SLOT, kGlobalData = R_AARCH64_GLOB_DAT;
#else
constexpr uint32_t kJumpSlot = R_X86_64_JUMP_SLOT, kGlobalData = R_X86_64_GLOB_DAT;
#endif

/// The relocations that the dynamic section of a library names.
struct Relocations {
    const ElfW(Sym) *symbols = nullptr;
    const char *names = nullptr;
    const ElfW(Rela) *plt = nullptr, *data = nullptr;
    size_t pltBytes = 0, dataBytes = 0;

    Relocations(const ElfW(Dyn) * entry, ElfW(Addr) base)
    {
        // glibc replaces offsets by addresses where the section can be written.
        const auto at = [&](ElfW(Addr) given) { return given < base ? base + given : given; };
        for (; entry->d_tag != DT_NULL; ++entry)
            switch (entry->d_tag) {
            case DT_SYMTAB: symbols = reinterpret_cast<const ElfW(Sym) *>(at(entry->d_un.d_ptr)); break;
            case DT_STRTAB: names = reinterpret_cast<const char *>(at(entry->d_un.d_ptr)); break;
            case DT_JMPREL: plt = reinterpret_cast<const ElfW(Rela) *>(at(entry->d_un.d_ptr)); break;
            case DT_PLTRELSZ: pltBytes = entry->d_un.d_val; break;
            case DT_RELA: data = reinterpret_cast<const ElfW(Rela) *>(at(entry->d_un.d_ptr)); break;
            case DT_RELASZ: dataBytes = entry->d_un.d_val; break;
            default: break;
            }
    }
};

struct Walk {
    std::string_view prefix, symbol;
    std::vector<void **> places;
    std::vector<bool> readOnly;
};

uintptr_t pageOf(uintptr_t address)
{
    static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    return address / page * page;
}

/// True if the loader has made the page read-only after it had relocated the library. It leaves out a last page that
/// belongs to that part only partly.
bool isReadOnly(const dl_phdr_info &info, ElfW(Addr) place)
{
    for (size_t at = 0; at < info.dlpi_phnum; ++at) {
        const ElfW(Phdr) &header = info.dlpi_phdr[at];
        const ElfW(Addr) begin = info.dlpi_addr + header.p_vaddr;
        if (header.p_type == PT_GNU_RELRO && place >= pageOf(begin) && place < pageOf(begin + header.p_memsz))
            return true;
    }
    return false;
}

void collect(Walk &walk, const dl_phdr_info &info, const ElfW(Rela) * first, size_t bytes, const Relocations &from)
{
    if (!first || !from.symbols || !from.names)
        return;
    for (const ElfW(Rela) *entry = first; entry != first + bytes / sizeof(*entry); ++entry) {
        const auto kind = static_cast<uint32_t>(ELF64_R_TYPE(entry->r_info));
        if (kind != kJumpSlot && kind != kGlobalData)
            continue;
        if (walk.symbol != from.names + from.symbols[ELF64_R_SYM(entry->r_info)].st_name)
            continue;
        const ElfW(Addr) place = info.dlpi_addr + entry->r_offset;
        walk.places.push_back(reinterpret_cast<void **>(place));
        walk.readOnly.push_back(isReadOnly(info, place));
    }
}

int visit(dl_phdr_info *info, size_t, void *data)
{
    Walk &walk = *static_cast<Walk *>(data);
    const std::string_view path = info->dlpi_name ? info->dlpi_name : "";
    if (!path.substr(path.rfind('/') + 1).starts_with(walk.prefix))
        return 0;
    for (size_t at = 0; at < info->dlpi_phnum; ++at)
        if (info->dlpi_phdr[at].p_type == PT_DYNAMIC) {
            const Relocations found(reinterpret_cast<const ElfW(Dyn) *>(info->dlpi_addr + info->dlpi_phdr[at].p_vaddr),
                                    info->dlpi_addr);
            collect(walk, *info, found.plt, found.pltBytes, found);
            collect(walk, *info, found.data, found.dataBytes, found);
        }
    return 0;
}

} // namespace

CallSlots::CallSlots(std::string_view prefix, std::string_view symbol)
{
    Walk walk{prefix, symbol, {}, {}};
    visitLibraries(visit, &walk);
    for (size_t at = 0; at < walk.places.size(); ++at)
        m_slots.push_back({walk.places[at], walk.readOnly[at], nullptr});
}

/// Other threads may be calling through the place, so it changes in one piece.
bool CallSlots::write(const Slot &slot, void *function)
{
    void *page = reinterpret_cast<void *>(pageOf(reinterpret_cast<uintptr_t>(slot.place)));
    if (slot.readOnly && mprotect(page, sizeof(void *), PROT_READ | PROT_WRITE) != 0)
        return false;
    std::atomic_ref<void *>(*slot.place).store(function, std::memory_order_release);
    if (slot.readOnly)
        mprotect(page, sizeof(void *), PROT_READ);
    return true;
}

bool CallSlots::redirect(void *function)
{
    m_function = function;
    for (size_t at = 0; at < m_slots.size(); ++at) {
        m_slots[at].original = *m_slots[at].place;
        if (!write(m_slots[at], function)) {
            for (size_t undo = 0; undo < at; ++undo)
                write(m_slots[undo], m_slots[undo].original);
            m_function = nullptr;
            return false;
        }
    }
    return true;
}

void CallSlots::restore()
{
    for (const Slot &slot : m_slots)
        if (m_function && *slot.place == m_function)
            write(slot, slot.original);
    m_function = nullptr;
}

} // namespace riffle::collector
