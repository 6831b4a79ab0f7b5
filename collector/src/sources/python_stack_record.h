// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/src/loss_counter.h"
#include "collector/src/record.h"
#include "collector/src/ring.h"
#include "collector/src/sources/python_stack_log.h"
#include "collector/src/sources/python_stack_tree.h"

namespace riffle::collector {

/// Writes what changes in a thread's Python stack into the thread's ring: a record PythonCode per code object (its
/// category is the function's name; its name is the file's path, whose length is `color`, and the table of lines, whose
/// format is `payloadKind`; its payload is the id and the first line), and a record PythonStack per change (its name is
/// the frames; its payload is the number of frames that are kept and of those that are not known).
class PythonStackWriter final : public PythonStackSink {
public:
    /// `reserve` bytes of the ring stay free; what does not fit is counted as lost.
    PythonStackWriter(Ring &ring, size_t reserve, LossCounter &lost, PythonLineFormat format)
        : m_ring(ring)
        , m_reserve(reserve)
        , m_lost(lost)
        , m_format(format)
    {
    }
    bool code(const PythonCodeText &text) override;
    bool stack(uint32_t kept, uint32_t omitted, std::span<const PythonPlace> frames) override;

private:
    bool write(Record record, std::span<const std::span<const std::byte>> parts);

    Ring &m_ring;
    const size_t m_reserve;
    LossCounter &m_lost;
    const PythonLineFormat m_format;
};

/// Hands a record of the kinds PythonCode and PythonStack to the tree. `name` and `category` are those of the record.
void readPythonStackRecord(const Record &record, uint32_t thread, std::string_view name, std::string_view category,
                           PythonStackTree &tree);

} // namespace riffle::collector
