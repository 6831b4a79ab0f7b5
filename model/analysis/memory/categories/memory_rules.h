// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace riffle {

/// What a frame of a stack looks like: "FUNCTION" or "FUNCTION @ FILE", both whole, "*" for any text. Slashes of files
/// count as forward ones. "<no frames>" is a stack without any, in a history that has some: work of a thread without
/// Python, where C++ frames were not recorded; of a training job that is the thread of the backward pass.
struct FramePattern {
    std::string function;
    std::string file; ///< "*" where none was given
    bool matches(std::string_view name, std::string_view path) const;
};

/// A name for kinds of frames.
struct FrameSet {
    std::string name;
    std::vector<FramePattern> patterns;
    bool noFrames = false;
};

/// One guess: all conditions that are given must hold. Sets are bits of MemoryRules::sets; 0: not asked.
struct MemoryRule {
    std::string name, category;
    uint64_t allocatedIn = 0;     ///< a frame of the stack that allocated it is in one of them
    uint64_t alsoAllocatedIn = 0; ///< and one in one of these
    uint64_t notAllocatedIn = 0;  ///< and none in any of these
    uint64_t freedIn = 0;         ///< the same of the stack that gave it back
    uint64_t notFreedIn = 0;
    uint64_t replacedIn =
        0; ///< from before the history, given back in a call of these that made as much anew; see replacedMemory()
    uint64_t livesThrough = 0;      ///< while it was alive something was allocated in one of these
    std::optional<bool> throughOom; ///< memory ran out on its device while it was alive, and it was given back then
    std::optional<bool> begun;      ///< its begin is in the history
    std::optional<bool> freed;      ///< its end is in the history
    std::optional<bool> sameCall;   ///< it was given back inside the outermost operator that it was allocated in; where
                                    ///< C++ frames were not recorded: on the same line of Python, by the same callers
    std::optional<int64_t> atMostEvents; ///< from its begin until it was given back
    std::optional<int64_t> atLeastBytes, atMostBytes;
};

/// Rules in their order: the first one that holds counts. As a file they are JSON:
///   {"sets": {"optimizer": ["step @ *optim*"], …},
///    "rules": [{"name": "kept by an optimizer", "category": "optimizer_state", "allocated_in": ["optimizer"], "freed":
///    false}, …]}
/// with the keys name, category, allocated_in, also_allocated_in, not_allocated_in, freed_in, not_freed_in,
/// replaced_in, lives_through (lists of names of sets), lives_through_oom, begun, freed, same_call (true or false),
/// at_most_events, at_least_bytes, at_most_bytes (integers).
struct MemoryRules {
    static constexpr size_t kMostSets = 64;

    std::vector<FrameSet> sets;
    std::vector<MemoryRule> rules;

    /// An Error says what is wrong, and at which byte.
    static Result<MemoryRules> parse(std::string_view text, const std::string &file);
    static Result<MemoryRules> read(const std::string &path);
    /// The ones that this program brings, as text to begin with.
    static std::string_view builtInText();
    static const MemoryRules &builtIn();
};

} // namespace riffle
