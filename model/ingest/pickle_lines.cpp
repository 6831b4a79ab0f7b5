// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0

// The instructions of protocol 0, which are lines of text, and the names of the instructions that plain data does not
// need.
#include "model/ingest/pickle_machine.h"

#include <charconv>
#include <cstdio>
#include <cstring>

namespace riffle {

namespace {

struct Instruction {
    uint8_t opcode;
    const char *name;
};

/// Instructions that a pickle of objects uses and a pickle of plain data does not.
constexpr Instruction kRefused[] = {
    {'c', "GLOBAL"},         {0x93, "STACK_GLOBAL"}, {'R', "REDUCE"},          {'b', "BUILD"},
    {'i', "INST"},           {'o', "OBJ"},           {0x81, "NEWOBJ"},         {0x92, "NEWOBJ_EX"},
    {'P', "PERSID"},         {'Q', "BINPERSID"},     {0x82, "EXT1"},           {0x83, "EXT2"},
    {0x84, "EXT4"},          {'0', "POP"},           {'1', "POP_MARK"},        {'2', "DUP"},
    {'S', "STRING"},         {'T', "BINSTRING"},     {'U', "SHORT_BINSTRING"}, {'B', "BINBYTES"},
    {'C', "SHORT_BINBYTES"}, {0x8E, "BINBYTES8"},    {0x8F, "EMPTY_SET"},      {0x90, "ADDITEMS"},
    {0x91, "FROZENSET"},     {0x96, "BYTEARRAY8"},   {0x97, "NEXT_BUFFER"},    {0x98, "READONLY_BUFFER"},
};

void appendUtf8(std::string &text, uint32_t code)
{
    if (code < 0x80) {
        text += static_cast<char>(code);
        return;
    }
    if (code < 0x800) {
        text += static_cast<char>(0xC0 | code >> 6);
    } else {
        if (code < 0x10000) {
            text += static_cast<char>(0xE0 | code >> 12);
        } else {
            text += static_cast<char>(0xF0 | code >> 18);
            text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
        }
        text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    }
    text += static_cast<char>(0x80 | (code & 0x3F));
}

} // namespace

/// Returns the rest of the line, for instructions of protocol 0.
std::string_view PickleMachine::line(const char *&at)
{
    for (uint64_t length = 0;; ++length) {
        if (!m_input.have(m_opAt, at, length + 1))
            fault("The pickle is cut off in the middle of a line.");
        if (length > kLongestText)
            fault("A line has more than 64 MiB.");
        const auto there = static_cast<size_t>(m_input.end() - at) - static_cast<size_t>(length);
        if (const void *found = std::memchr(at + length, '\n', there)) {
            const std::string_view text(at, static_cast<size_t>(static_cast<const char *>(found) - at));
            at = static_cast<const char *>(found) + 1;
            return text;
        }
        length += there - 1;
    }
}

void PickleMachine::refuse(uint8_t opcode) const
{
    for (const Instruction &instruction : kRefused)
        if (instruction.opcode == opcode)
            fault("The pickle contains the instruction " + std::string(instruction.name) +
                  ", which plain data does not need. Nothing is executed, and reading stops here.");
    char hex[8];
    std::snprintf(hex, sizeof hex, "0x%02X", opcode);
    fault("Byte " + std::string(hex) + " is not an instruction of a pickle.");
}

uint32_t PickleMachine::memoNumber(std::string_view text) const
{
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        fault("A memo number is malformed.");
    return number;
}

/// Pushes the integer "12", "-3" or "12L"; "00" and "01" are False and True.
void PickleMachine::pushIntegerLine(std::string_view text)
{
    if (text == "00" || text == "01") {
        m_stack.push(PickleValue::plain(text == "01" ? ValueKind::True : ValueKind::False));
        return;
    }
    if (text.ends_with('L'))
        text.remove_suffix(1);
    PickleValue value = PickleValue::ofInteger(0);
    const char *begin = text.data(), *end = text.data() + text.size();
    auto parsed = std::from_chars(begin, end, value.integer);
    if (parsed.ec == std::errc::result_out_of_range && !text.starts_with('-')) {
        value.kind = ValueKind::UInt;
        parsed = std::from_chars(begin, end, value.bits);
    }
    if (parsed.ec == std::errc::result_out_of_range)
        fault("An integer has more than 64 bits.");
    if (parsed.ec != std::errc() || parsed.ptr != end)
        fault("An integer is malformed.");
    m_stack.push(value);
}

void PickleMachine::pushFloatLine(std::string_view text)
{
    PickleValue value = PickleValue::plain(ValueKind::Float);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value.number);
    if (error == std::errc::invalid_argument || end != text.data() + text.size())
        fault("A floating-point number is malformed.");
    m_stack.push(value);
}

/// Pushes a text in Latin-1 with \uXXXX and \UXXXXXXXX escapes.
void PickleMachine::pushEscapedLine(std::string_view text)
{
    std::string decoded;
    decoded.reserve(text.size());
    for (size_t at = 0; at < text.size(); ++at) {
        const size_t digits = text[at] != '\\' || at + 1 == text.size() ? 0
                              : text[at + 1] == 'u'                     ? 4
                              : text[at + 1] == 'U'                     ? 8
                                                                        : 0;
        if (digits == 0) {
            appendUtf8(decoded, static_cast<uint8_t>(text[at]));
            continue;
        }
        uint32_t code = 0;
        const char *begin = text.data() + at + 2, *end = begin + digits;
        if (text.size() - at < digits + 2 || std::from_chars(begin, end, code, 16).ptr != end || code > 0x10FFFF)
            fault("An escape sequence is not a character.");
        appendUtf8(decoded, code);
        at += digits + 1;
    }
    m_stack.push(PickleValue::of(ValueKind::Text, m_shapes.text(decoded)));
}

} // namespace riffle
