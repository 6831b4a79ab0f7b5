// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace riffle::test {

/// Writes pickles as CPython does, value by value: protocols 2 to 5, texts and containers in the memo, and frames of 64
/// KiB from protocol 4 on. The caller says where containers start and end.
class PickleWriter {
public:
    using Drain = std::function<void(std::string_view)>;

    explicit PickleWriter(Drain drain, int protocol = 4) : m_drain(std::move(drain)), m_protocol(protocol)
    {
        m_drain(std::string{'\x80', static_cast<char>(protocol)});
    }

    /// The number in the memo of the value that was stored last.
    uint32_t lastMemo() const { return m_memo - 1; }
    void get(uint32_t memo)
    {
        if (memo < 256)
            raw('h').byte(memo);
        else
            raw('j').little(memo);
    }
    void emptyDict() { raw('}').memoize(); }
    void emptyList() { raw(']').memoize(); }
    void mark() { raw('('); }
    void setItems() { raw('u'); }
    void setItem() { raw('s'); }
    void append() { raw('a'); }
    /// Ends a batch of list items. An entry is complete, so a frame may end here.
    void appends()
    {
        raw('e');
        endFrame(64 << 10);
    }
    void text(std::string_view text)
    {
        const auto known = m_texts.find(text);
        if (known != m_texts.end()) {
            get(known->second);
            return;
        }
        if (m_protocol >= 4 && text.size() < 256)
            raw('\x8C').byte(static_cast<uint32_t>(text.size()));
        else
            raw('X').little(static_cast<uint32_t>(text.size()));
        m_frame += text;
        memoize();
        m_texts.emplace(text, lastMemo());
    }
    void integer(int64_t value)
    {
        if (value >= 0 && value < 256) {
            raw('K').byte(static_cast<uint32_t>(value));
        } else if (value >= 0 && value < 65536) {
            raw('M').byte(static_cast<uint32_t>(value)).byte(static_cast<uint32_t>(value >> 8));
        } else if (value >= INT32_MIN && value <= INT32_MAX) {
            raw('J').little(static_cast<uint32_t>(value));
        } else {
            int bytes = 8;
            while (bytes > 1 && value >> (8 * bytes - 9) == value >> 63)
                --bytes;
            raw('\x8A').byte(static_cast<uint32_t>(bytes));
            m_frame.append(reinterpret_cast<const char *>(&value), static_cast<size_t>(bytes));
        }
    }
    void address(uint64_t value)
    {
        if (value >> 63) { // the sign needs a ninth byte
            raw('\x8A').byte(9);
            m_frame.append(reinterpret_cast<const char *>(&value), 8);
            byte(0);
        } else {
            integer(static_cast<int64_t>(value));
        }
    }
    void boolean(bool value) { raw(value ? '\x88' : '\x89'); }
    void none() { raw('N'); }
    void number(double value)
    {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        bits = __builtin_bswap64(bits);
        raw('G');
        m_frame.append(reinterpret_cast<const char *>(&bits), 8);
    }
    void pair(int64_t first, int64_t second)
    {
        integer(first);
        integer(second);
        raw('\x86').memoize();
    }
    PickleWriter &raw(char opcode)
    {
        m_frame += opcode;
        return *this;
    }
    PickleWriter &raw(std::string_view bytes)
    {
        m_frame += bytes;
        return *this;
    }
    void stop()
    {
        raw('.');
        endFrame(0);
    }

private:
    PickleWriter &byte(uint32_t value)
    {
        m_frame += static_cast<char>(value);
        return *this;
    }
    void little(uint32_t value) { m_frame.append(reinterpret_cast<const char *>(&value), 4); }
    void memoize()
    {
        if (m_protocol >= 4)
            raw('\x94');
        else if (m_memo < 256)
            raw('q').byte(m_memo);
        else
            raw('r').little(m_memo);
        ++m_memo;
        endFrame(64 << 10);
    }
    void endFrame(size_t from)
    {
        if (m_frame.size() < from || m_frame.empty())
            return;
        if (m_protocol >= 4 && m_frame.size() >= 4) {
            const uint64_t length = m_frame.size();
            m_drain(std::string_view("\x95", 1));
            m_drain({reinterpret_cast<const char *>(&length), 8});
        }
        m_drain(m_frame);
        m_frame.clear();
    }

    struct Hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    Drain m_drain;
    int m_protocol;
    uint32_t m_memo = 0;
    std::string m_frame;
    std::unordered_map<std::string, uint32_t, Hash, std::equal_to<>> m_texts;
};

} // namespace riffle::test
