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

/// A pattern for a frame of a stack: "FUNCTION" or "FUNCTION @ FILE". Each part must match the whole name, with "*" for
/// any text. Backslashes in file names are treated as forward slashes. The file "<module file>" stands for any file in
/// which a module's forward ran in some stack of the snapshot: its constructors are those of modules.
struct FramePattern {
    std::string function;
    std::string file; ///< "*" if none was given
    bool inModuleFile = false;
    bool matches(std::string_view name, std::string_view path, bool isModuleFile = false) const;
};

/// A named set of stacks: those with a frame that matches one of the patterns, but without any frame that matches a
/// pattern that was given after "! ". "<no frames>" matches a stack without frames in a history that has frames
/// elsewhere: the work of a thread without Python when C++ frames were not recorded. In a training job that is the
/// thread of the backward pass. "<range NAME>" is for events without frames: it matches if they happened in a range
/// that the program marked with this name, with "*" for any text; see ProgramRanges.
struct FrameSet {
    std::string name;
    std::vector<FramePattern> patterns, without;
    std::vector<std::string> ranges;
    bool noFrames = false;
    bool hasRange(std::string_view range) const;
};

/// A rule for one category. All conditions that are given must hold. Bits refer to rows of MemoryRules::sets; 0 if the
/// condition is not given.
struct MemoryRule {
    std::string name, category;
    uint64_t allocatedIn = 0;     ///< a frame of the allocating stack is in one of these sets
    uint64_t alsoAllocatedIn = 0; ///< and a frame of that stack is in one of these sets
    uint64_t notAllocatedIn = 0;  ///< and no frame of that stack is in any of these sets
    uint64_t freedIn = 0;         ///< the same for the freeing stack
    uint64_t notFreedIn = 0;
    uint64_t replacedIn = 0;   ///< it is from before the history, and was freed in a call in one of these sets that
                               ///< allocated a replacement; see replacedMemory()
    uint64_t livesThrough = 0; ///< while it was alive, an allocation happened in one of these sets, or a range of them
                               ///< started
    std::optional<bool> throughOom; ///< memory ran out on its device while it was alive, and it was freed afterwards
    std::optional<bool> begun;      ///< its start is in the history
    std::optional<bool> freed;      ///< its free is in the history
    std::optional<bool> sameCall;   ///< it was freed inside the outermost operator that it was allocated in; if C++
                                    ///< frames were not recorded, it was freed on the same Python line with the same
                                    ///< callers
    std::optional<bool> continued;  ///< the next allocation on its device happened further down in the same call: their
                                    ///< stacks differ in one line number only, which is larger
    std::optional<int64_t> atMostEvents; ///< the most events from its alloc to its free
    std::optional<int64_t> atLeastBytes, atMostBytes;
    bool inferred = false; ///< the rule has no evidence but the size; the category is marked as inferred
    /// A category. The rule is for memory of which only the size is known, because it is from before the history,
    /// without a stack, and was never freed: the sizes must be those of memory with this category. See SizeInference.
    std::string sizedLike;
    std::string notSizedLike; ///< a category; no memory with it may have the size
    int64_t atMostEach = 1;   ///< the most such allocations for each one of the category `sizedLike`

    bool bySize() const { return !sizedLike.empty(); }
};

/// Rules in order; the first one that applies counts. A rules file is JSON:
///   {"sets": {"optimizer": ["step @ *optim*"], …},
///    "rules": [{"name": "kept by an optimizer", "category": "optimizer_state", "allocated_in": ["optimizer"], "freed":
///    false}, …]}
/// with the keys name, category, allocated_in, also_allocated_in, not_allocated_in, freed_in, not_freed_in,
/// replaced_in, lives_through (lists of names of sets), lives_through_oom, begun, freed, same_call, continued,
/// inferred (true or false), at_most_events, at_least_bytes, at_most_bytes, at_most_each (integers), sized_like,
/// not_sized_like (categories). A rule with sized_like is tried after all others and has no condition on stacks and
/// lifetimes.
struct MemoryRules {
    static constexpr size_t kMostSets = 64;

    std::vector<FrameSet> sets;
    std::vector<MemoryRule> rules;

    /// Parses the text of a rules file. The Error says what is wrong and at which byte.
    static Result<MemoryRules> parse(std::string_view text, const std::string &file);
    static Result<MemoryRules> read(const std::string &path);
    /// The text of the built-in rules, which users can copy and adapt.
    static std::string_view builtInText();
    static const MemoryRules &builtIn();
};

} // namespace riffle
