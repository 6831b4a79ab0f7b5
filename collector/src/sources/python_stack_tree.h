// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/sources/python_lines.h"
#include "collector/src/sources/python_stack_log.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace riffle::collector {

/// A frame of a stack as the log has it: what is called by the same stack at the same line is one node of a tree.
struct PythonStackNode {
    uint32_t id, parent; ///< parent 0: the outermost frame
    std::string_view name, file;
    int32_t firstLine, line; ///< without a name: line is the number of outer frames that were not recorded
};

/// Puts the stacks of the threads together again from what their PythonStackLogs wrote, and names each of them by a
/// node of a tree. Used by the thread that writes the log; lines are decoded here.
class PythonStackTree {
public:
    explicit PythonStackTree(PythonLineFormat format) : m_format(format) {}

    void code(const PythonCodeText &text);
    void stack(uint32_t thread, uint32_t kept, uint32_t omitted, std::span<const PythonPlace> frames);
    void forget(uint32_t thread) { m_threads.erase(thread); }
    /// All nodes are new again: for the next file of the log, which can be read alone.
    void forgetNodes();

    /// The id of the thread's stack; 0 if it has none. Calls isNew(PythonStackNode) for each node that was not named
    /// since forgetNodes(), parents first.
    template <typename IsNew>
    uint32_t idOf(uint32_t thread, IsNew isNew)
    {
        uint32_t node = 0;
        const auto found = m_threads.find(thread);
        if (found == m_threads.end())
            return 0;
        Stack &stack = found->second;
        if (stack.generation != m_generation)
            stack.named = 0;
        stack.generation = m_generation;
        for (size_t at = std::max<size_t>(stack.named, stack.omitted); at < stack.levels.size(); ++at) {
            if (at == stack.omitted)
                node = at ? this->node({0, 0, static_cast<int32_t>(at)}, isNew) : 0;
            else
                node = stack.levels[at - 1].node;
            const PythonPlace place = stack.levels[at].place;
            stack.levels[at].node = isShown(place.code) ? this->node({node, place.code, lineOf(place)}, isNew) : node;
        }
        stack.named = stack.levels.size();
        return stack.levels.empty() ? 0 : stack.levels.back().node;
    }

private:
    static constexpr size_t kCodes = 1 << 16, kNodes = 1 << 18; ///< the most that are known at the same time
    struct Code {
        int32_t firstLine = 0;
        std::string name, file;
        bool isOurs = false; ///< of Riffle's own Python part, which is between the program's frames
        std::vector<std::byte> lines;
        std::unordered_map<uint32_t, int32_t> decoded; ///< line by offset
    };
    struct Key {
        uint32_t parent, code;
        int32_t line;
        bool operator==(const Key &) const = default;
    };
    struct HashOfKey {
        size_t operator()(const Key &key) const
        {
            return ((size_t{key.parent} * 0x9E3779B97F4A7C15u ^ key.code) * 0x9E3779B97F4A7C15u ^
                    static_cast<uint32_t>(key.line)) *
                   0x9E3779B97F4A7C15u;
        }
    };
    struct Level {
        PythonPlace place;
        uint32_t node;
    };
    struct Stack {
        std::vector<Level> levels;     ///< the outermost first; the first `omitted` are not known
        size_t omitted = 0, named = 0; ///< levels below `named` have their nodes
        uint64_t generation = 0;
    };

    template <typename IsNew>
    uint32_t node(const Key &key, IsNew &isNew)
    {
        const auto [at, added] = m_nodes.try_emplace(key, m_nextNode);
        if (added) {
            const Code *code = key.code ? find(key.code) : nullptr;
            isNew(PythonStackNode{m_nextNode++, key.parent, code ? code->name : std::string_view(),
                                  code ? code->file : std::string_view(), code ? code->firstLine : 0, key.line});
        }
        return at->second;
    }
    Code *find(uint32_t id);
    bool isShown(uint32_t id)
    {
        const Code *code = id ? find(id) : nullptr;
        return id && !(code && code->isOurs);
    }
    int32_t lineOf(PythonPlace place);

    const PythonLineFormat m_format;
    std::unordered_map<uint32_t, Code> m_codes, m_olderCodes;
    std::unordered_map<uint32_t, Stack> m_threads;
    std::unordered_map<Key, uint32_t, HashOfKey> m_nodes;
    uint32_t m_nextNode = 1;
    uint64_t m_generation = 1;
};

} // namespace riffle::collector
