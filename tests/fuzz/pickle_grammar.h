// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace riffle::test {

/// Turns any bytes into a pickle that looks like a snapshot, in which the memo puts values in many places. Random bytes
/// hardly ever become a pickle that runs to its end, and never one that repeats a large value thousands of times. The
/// same bytes always give the same pickle, and small changes of the bytes give small changes of the pickle.
class PickleGrammar {
public:
    static constexpr size_t kMostBytes = 128 << 10; ///< the size of a large pickle; no new values after this
    static constexpr size_t kUsualBytes = 16 << 10; ///< most pickles end here, so that they are read fast

    explicit PickleGrammar(std::span<const uint8_t> choices) : m_choices(choices) {}

    std::string pickle()
    {
        m_out = std::string("\x80\x04", 2);
        m_most = choose(8) == 0 ? kMostBytes : kUsualBytes;
        if (choose(16) == 0)
            value(Kind::Segments, 0);
        else
            value(Kind::Snapshot, 0);
        m_out += '.';
        return std::move(m_out);
    }

private:
    enum class Kind : uint8_t {
        Snapshot,
        Segments,
        Segment,
        Blocks,
        Block,
        Uses,
        Use,
        Frames,
        Frame,
        Traces,
        Events,
        Event,
        Settings,
        Marks,
        Mark,
        Word,
        Text,
        Number,
        Address,
        Pool,
        Odd,
        Count
    };
    struct Key {
        std::string_view text;
        Kind value;
    };
    struct Stored {
        uint32_t memo;
        Kind kind;
    };
    static constexpr int kDeepest = 12;

    uint32_t byte() { return m_at < m_choices.size() ? m_choices[m_at++] : 0; }
    uint32_t choose(uint32_t count) { return byte() % count; }
    bool isFull() const { return m_out.size() > m_most || m_at >= m_choices.size(); }

    void raw(uint32_t value, int bytes)
    {
        for (int at = 0; at < bytes; ++at)
            m_out += static_cast<char>(value >> 8 * at);
    }
    void get(uint32_t memo)
    {
        m_out += memo < 256 ? 'h' : 'j';
        raw(memo, memo < 256 ? 1 : 4);
    }
    /// Stores the value on top of the stack in the memo.
    uint32_t memoize()
    {
        m_out += '\x94';
        return m_memo++;
    }

    /// The usual number of items is small. Sometimes it is a power of two up to 64 Ki, and then all but the first few
    /// items come from the memo, which takes two bytes each.
    uint32_t count()
    {
        const uint32_t choice = byte();
        return choice < 200 ? choice % 6 : 1u << (choice - 200) % 17;
    }

    /// Writes a value of this kind: one from the memo, or a new one.
    void value(Kind kind, int depth)
    {
        if (m_out.size() > 2 * m_most) {
            m_out += 'N';
            return;
        }
        const uint32_t choice = byte();
        if (choice % 4 == 1 || depth > kDeepest || isFull()) {
            const auto known = std::find_if(m_stored.rbegin(), m_stored.rend(),
                                            [&](const Stored &one) { return choice == 253 || one.kind == kind; });
            if (known != m_stored.rend())
                get(known->memo);
            else
                m_out += 'N';
            return;
        }
        if (choice == 254) // another kind than the one that belongs here
            kind = static_cast<Kind>(choose(static_cast<uint32_t>(Kind::Count)));
        fresh(kind, depth + 1, choice % 2);
    }

    void fresh(Kind kind, int depth, bool early)
    {
        using enum Kind;
        static constexpr Key kSnapshot[] = {{"segments", Segments},
                                            {"device_traces", Traces},
                                            {"allocator_settings", Settings},
                                            {"external_annotations", Marks},
                                            {"host_segments", Segments},
                                            {"host_traces", Traces},
                                            {"other", Odd}};
        static constexpr Key kSegment[] = {
            {"address", Address}, {"total_size", Number}, {"device", Number},         {"blocks", Blocks},
            {"stream", Number},   {"segment_type", Word}, {"allocated_size", Number}, {"segment_pool_id", Pool},
            {"frames", Frames},   {"is_expandable", Odd}};
        static constexpr Key kBlock[] = {{"state", Word},      {"size", Number},
                                         {"address", Address}, {"requested_size", Number},
                                         {"history", Uses},    {"frames", Frames}};
        static constexpr Key kUse[] = {{"real_size", Number}, {"addr", Address}, {"frames", Frames}};
        static constexpr Key kFrame[] = {{"name", Text}, {"filename", Text}, {"line", Number}, {"fx_node_op", Text}};
        static constexpr Key kEvent[] = {{"action", Word},           {"addr", Address},   {"size", Number},
                                         {"stream", Number},         {"time_us", Number}, {"frames", Frames},
                                         {"user_metadata", Text},    {"pool_id", Pool},   {"compile_context", Text},
                                         {"forward_frames", Frames}, {"category", Text}};
        static constexpr Key kMark[] = {{"name", Text}, {"stage", Word}, {"device", Number}, {"time_us", Number}};
        switch (kind) {
        case Snapshot: dict(kind, kSnapshot, 2, depth, early); break;
        case Segment: dict(kind, kSegment, 3, depth, early); break;
        case Block: dict(kind, kBlock, 2, depth, early); break;
        case Use: dict(kind, kUse, 1, depth, early); break;
        case Frame: dict(kind, kFrame, 2, depth, early); break;
        case Event: dict(kind, kEvent, 2, depth, early); break;
        case Mark: dict(kind, kMark, 2, depth, early); break;
        case Segments: list(kind, Segment, depth, early); break;
        case Blocks: list(kind, Block, depth, early); break;
        case Uses: list(kind, Use, depth, early); break;
        case Frames: list(kind, Frame, depth, early); break;
        case Traces: list(kind, Events, depth, early); break;
        case Events: list(kind, Event, depth, early); break;
        case Marks: list(kind, Mark, depth, early); break;
        case Settings: settings(depth, early); break;
        case Odd: odd(depth, early); break;
        case Word: word(); break;
        case Text: text(); break;
        case Pool:
            number();
            number();
            m_out += '\x86';
            stored(kind);
            break;
        case Address: address(); break;
        default: number();
        }
    }

    void stored(Kind kind) { m_stored.push_back({memoize(), kind}); }

    /// Writes a container. Python stores it in the memo when it is empty, PyTorch's C++ pickler when it is complete.
    template <typename Fill>
    void container(char empty, char done, Kind kind, bool early, Fill fill)
    {
        m_out += empty;
        const uint32_t memo = early ? memoize() : 0;
        m_out += '(';
        fill();
        m_out += done;
        m_stored.push_back({early ? memo : memoize(), kind});
    }

    /// Writes a dict with the first `usual` keys and some of the others.
    void dict(Kind kind, std::span<const Key> keys, size_t usual, int depth, bool early)
    {
        container('}', 'u', kind, early, [&] {
            const uint32_t more = byte();
            for (size_t at = 0; at < keys.size(); ++at) {
                if (at >= usual && !(more >> (at - usual) % 8 & 1))
                    continue;
                literal(keys[at].text);
                value(keys[at].value, depth);
            }
            if (more == 255) { // many keys that have no meaning
                const uint32_t many = count();
                literal("nothing");
                m_out += 'N';
                for (uint32_t at = 1; at < many && m_out.size() < m_most; ++at) {
                    literal("nothing");
                    m_out += 'N';
                }
            }
        });
    }

    void list(Kind kind, Kind item, int depth, bool early)
    {
        container(']', 'e', kind, early, [&] {
            const uint32_t items = count(), different = std::min(items, 1 + choose(8));
            const size_t first = m_stored.size();
            for (uint32_t at = 0; at < different; ++at)
                value(item, depth);
            std::vector<uint32_t> again;
            for (size_t at = 0; at < m_stored.size(); ++at)
                if (m_stored[at].kind == item && (at >= first || again.empty()))
                    again.push_back(m_stored[at].memo);
            for (uint32_t at = different; at < items && !again.empty() && m_out.size() < m_most; ++at)
                get(again[at * 0x9E3779B9u % again.size()]);
        });
    }

    void settings(int depth, bool early)
    {
        container('}', 'u', Kind::Settings, early, [&] {
            const uint32_t items = count();
            for (uint32_t at = 0; at < items && m_out.size() < m_most; ++at) {
                literal(at % 2 ? "max_split_size" : "roundup");
                const Kind kinds[] = {Kind::Text, Kind::Number, Kind::Settings, Kind::Odd};
                value(kinds[choose(4)], depth);
            }
        });
    }

    /// Writes a value that has no meaning: a list of such values, a tuple, a flag or a number with a point.
    void odd(int depth, bool early)
    {
        switch (choose(6)) {
        case 0: m_out += '\x88'; break;
        case 1: m_out += ')'; break;
        case 2:
            m_out += 'G';
            raw(byte(), 4);
            raw(byte() << 24, 4);
            break;
        case 3:
            m_out += '(';
            for (uint32_t left = choose(5); left > 0; --left)
                value(Kind::Odd, depth);
            m_out += 't';
            break;
        default: list(Kind::Odd, Kind::Odd, depth, early);
        }
    }

    void literal(std::string_view text)
    {
        for (const auto &[known, memo] : m_texts)
            if (known == text)
                return get(memo);
        m_out += '\x8C';
        raw(static_cast<uint32_t>(text.size()), 1);
        m_out += text;
        m_texts.push_back({std::string(text), memoize()});
    }
    void word()
    {
        static constexpr std::array<std::string_view, 22> kWords{"alloc",
                                                                 "free_requested",
                                                                 "free_completed",
                                                                 "free",
                                                                 "segment_alloc",
                                                                 "segment_free",
                                                                 "segment_map",
                                                                 "segment_unmap",
                                                                 "snapshot",
                                                                 "oom",
                                                                 "annotate",
                                                                 "START",
                                                                 "END",
                                                                 "active_allocated",
                                                                 "active_pending_free",
                                                                 "inactive",
                                                                 "large",
                                                                 "small",
                                                                 "a word",
                                                                 "alloc",
                                                                 "alloc",
                                                                 "free_completed"};
        literal(kWords[choose(kWords.size())]);
    }
    void text()
    {
        static constexpr std::string_view kStarts[] = {
            "forward",  "/a/torch/optim/adam.py", "step", "aten::mm", "torch/nn/modules/module.py",
            "backward", "\xF0\x9F\x98\x80",       ""};
        std::string made(kStarts[choose(8)]);
        const uint32_t longer = byte();
        made.append(longer < 200 ? longer % 4 : size_t(1) << (longer - 200) % 15, 'x');
        m_out += 'X';
        raw(static_cast<uint32_t>(made.size()), 4);
        m_out += made;
        stored(Kind::Text);
    }
    void number()
    {
        const uint32_t choice = byte();
        if (choice < 128) {
            m_out += 'K';
            raw(choice, 1);
        } else if (choice < 200) {
            m_out += 'J';
            raw(byte() << (choice - 128) % 32, 4);
        } else {
            m_out += "\x8A\x08";
            raw(byte(), 4);
            raw(byte() << (choice - 200) % 32, 4);
        }
    }
    /// Writes an address: near the others, or one that the usual multiplicative hashes put where the others are.
    void address()
    {
        const uint32_t choice = byte();
        uint64_t made = 0x7f0000000000 + uint64_t(choice % 64) * 512;
        if (choice >= 128)
            made = (uint64_t(choice) << 44) * 0xF1DE83E19937733Du;
        m_out += std::string_view("\x8A\x09", 2);
        raw(static_cast<uint32_t>(made), 4);
        raw(static_cast<uint32_t>(made >> 32), 4);
        m_out += '\0';
    }

    std::span<const uint8_t> m_choices;
    size_t m_at = 0;
    size_t m_most = kMostBytes;
    std::string m_out;
    uint32_t m_memo = 0;
    std::vector<Stored> m_stored;
    std::vector<std::pair<std::string, uint32_t>> m_texts;
};

} // namespace riffle::test
