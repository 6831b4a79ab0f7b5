// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_text.h"

#include "collector/src/sources/python_memory.h"

namespace riffle::collector {

namespace {

// PyASCIIObject.state: 2 bits interned, 3 bits the width of a character in bytes, compact, ascii.
uint32_t width(uint32_t state) { return state >> 2 & 7; }
bool isCompact(uint32_t state) { return state >> 5 & 1; }
bool isAscii(uint32_t state) { return state >> 6 & 1; }

uint32_t characterAt(std::span<const std::byte> characters, uint32_t bytes, size_t index)
{
    uint32_t code = 0;
    std::memcpy(&code, characters.data() + index * bytes, bytes); // little-endian
    return code;
}

size_t encode(uint32_t code, char (&to)[4])
{
    if (code >= 0xD800 && code < 0xE000)
        code = '?';
    if (code < 0x80) {
        to[0] = static_cast<char>(code);
        return 1;
    }
    const size_t more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    to[0] = static_cast<char>((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | code >> (6 * more));
    for (size_t i = 1; i <= more; ++i)
        to[i] = static_cast<char>(0x80 | (code >> (6 * (more - i)) & 0x3F));
    return more + 1;
}

} // namespace

std::span<const std::byte> pythonCharacters(const PythonLayout &layout, const PythonTypes &types, const std::byte *text)
{
    if (!text || DirectMemory::read<const void *>(text + kObjectType) != types.text)
        return {};
    const auto state = DirectMemory::read<uint32_t>(text + kTextState);
    const auto length = DirectMemory::read<int64_t>(text + kTextLength);
    if (!isCompact(state) || length <= 0 || (width(state) != 1 && width(state) != 2 && width(state) != 4))
        return {};
    return {text + (isAscii(state) ? layout.asciiHeader : layout.compactHeader),
            static_cast<size_t>(length) * width(state)};
}

std::string_view pythonText(const PythonLayout &layout, const PythonTypes &types, const std::byte *text,
                            std::span<char> buffer)
{
    const auto characters = pythonCharacters(layout, types, text);
    if (characters.empty()) {
        const bool isEmpty = text && DirectMemory::read<const void *>(text + kObjectType) == types.text &&
                             DirectMemory::read<int64_t>(text + kTextLength) == 0;
        return isEmpty ? "" : "?";
    }
    const auto state = DirectMemory::read<uint32_t>(text + kTextState);
    if (isAscii(state)) {
        const size_t bytes = std::min(characters.size(), buffer.size());
        std::memcpy(buffer.data(), characters.data(), bytes);
        return {buffer.data(), bytes};
    }
    size_t used = 0;
    for (size_t i = 0; i < characters.size() / width(state); ++i) {
        char utf8[4];
        const size_t bytes = encode(characterAt(characters, width(state), i), utf8);
        if (used + bytes > buffer.size())
            break;
        std::memcpy(buffer.data() + used, utf8, bytes);
        used += bytes;
    }
    return {buffer.data(), used};
}

std::span<const std::byte> pythonBytes(const PythonTypes &types, const std::byte *bytes)
{
    if (!bytes || DirectMemory::read<const void *>(bytes + kObjectType) != types.bytes)
        return {};
    const auto size = DirectMemory::read<int64_t>(bytes + kObjectSize);
    return size > 0 ? std::span(bytes + kBytesData, static_cast<size_t>(size)) : std::span<const std::byte>();
}

} // namespace riffle::collector
