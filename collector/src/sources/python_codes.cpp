// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_codes.h"

namespace riffle::collector {

namespace {

uint64_t mixed(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t lastBytes(std::span<const std::byte> bytes)
{
    uint64_t value = 0;
    const size_t count = std::min(bytes.size(), sizeof(value));
    std::memcpy(&value, bytes.data() + bytes.size() - count, count);
    return value;
}

uint64_t mixedAll(uint64_t hash, std::span<const std::byte> bytes)
{
    for (; bytes.size() > 8; bytes = bytes.subspan(8))
        hash = mixed(hash, DirectMemory::read<uint64_t>(bytes.data()));
    return mixed(hash, lastBytes(bytes));
}

} // namespace

uint64_t markOfPythonCode(const PythonLayout &layout, const PythonTypes &types, PythonAddress code)
{
    const auto pointer = [&](uint32_t offset) { return DirectMemory::read<PythonAddress>(code + offset); };
    const PythonAddress lineTable = pointer(layout.codeLineTable);
    if (layout.codeVersion)
        if (const auto version = DirectMemory::read<uint32_t>(code + layout.codeVersion)) // 0 after 2^32 code objects
            return mixed(version, reinterpret_cast<uint64_t>(lineTable));
    uint64_t hash = mixed(DirectMemory::read<uint32_t>(code + layout.codeFirstLine),
                          reinterpret_cast<uint64_t>(pointer(layout.codeConstants)));
    const PythonAddress name = pointer(layout.codeName), file = pointer(layout.codeFile);
    hash = mixed(hash, reinterpret_cast<uint64_t>(name));
    const auto fileName = pythonCharacters(layout, types, file);
    const auto lines = pythonBytes(types, lineTable);
    hash = mixed(hash, fileName.size() << 32 ^ lines.size());
    if (!fileName.empty() && fileName[0] != std::byte{'<'})
        return mixed(mixed(mixed(hash, reinterpret_cast<uint64_t>(file)), lastBytes(fileName)), lastBytes(lines));
    hash = mixedAll(mixedAll(hash, fileName.first(std::min<size_t>(fileName.size(), 4096))),
                    lines.first(std::min<size_t>(lines.size(), 32768)));
    return mixedAll(hash, pythonCharacters(layout, types, name));
}

bool PythonCodes::allocate()
{
    if (!m_sets)
        m_sets.reset(static_cast<Set *>(std::calloc(kSets, sizeof(Set))));
    return m_sets != nullptr;
}

void PythonCodes::forget() { std::fill_n(m_sets.get(), kSets, Set{}); }

const uint32_t *PythonCodes::find(PythonAddress code, uint64_t mark) const
{
    for (const Known &known : setOf(code).known)
        if (known.code == code && known.mark == mark)
            return &known.id;
    return nullptr;
}

void PythonCodes::add(PythonAddress code, uint64_t mark, uint32_t id)
{
    Set &set = setOf(code);
    Known *to = &set.known[3];
    for (Known &known : set.known)
        if (known.code == code) // of an object that is gone
            to = &known;
    std::move_backward(set.known, to, to + 1);
    set.known[0] = {code, mark, id};
}

} // namespace riffle::collector
