// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/ingest/pickle_value.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace riffle {

class PickleMachine;

/// The format of a pickle: tells PickleMachine which dicts are rows of columns, and keeps these rows. Each format of
/// pickled files has its own. Ids count from 0.
class PickleShapes {
public:
    virtual ~PickleShapes() = default;

    /// Returns the id of a text. Equal texts have the same id.
    virtual uint32_t text(std::string_view text) = 0;
    /// Returns the id of a tuple of two integers.
    virtual uint32_t pair(int64_t first, int64_t second) = 0;
    /// Makes a row of a complete dict (keys and values in turn) and returns true, or returns false if the dict stays
    /// one. `row` becomes a value of the kind Frame, Events or Blocks; the rows of the latter two have consecutive
    /// numbers.
    virtual bool becomesRow(const PickleMachine &machine, const PickleValue *items, size_t count, PickleValue &row) = 0;
    /// Returns the id of a list of frames.
    virtual uint32_t stack(const uint32_t *frames, uint32_t count) = 0;
    /// Returns the frames of a stack, for copying them into a longer one.
    virtual std::span<const uint32_t> framesOf(uint32_t stack) const = 0;
    /// Called if a list of rows contains something else, which is left out.
    virtual void strangeItem() = 0;
    /// Called if a list repeats rows that the pickle contains once. The repetitions are left out.
    virtual void repeatedRows(uint32_t count) = 0;
};

} // namespace riffle
