// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace riffle {

/// Decides when each file of an opening is read: first the one that is looked at, then the others in their order. Until
/// one file is open, they are read one at a time, so that the first picture comes as early as if there were no others;
/// then as many are read at the same time as there are workers.
class OpeningQueue {
public:
    OpeningQueue(size_t files, size_t mostAtOnce);

    /// A file is looked at: it is the next to be read if it still waits.
    void lookAt(size_t file);
    /// Returns the file to read now and counts it as being read; nothing if none waits or enough are being read.
    std::optional<size_t> take();
    /// A file that was taken is open, or could not be opened.
    void end(bool isOpen);

    bool anyOpen() const { return m_anyOpen; }
    size_t reading() const { return m_reading; }
    bool done() const { return m_waiting.empty() && m_reading == 0; }

private:
    std::deque<size_t> m_waiting;
    size_t m_mostAtOnce;
    size_t m_reading = 0;
    bool m_anyOpen = false;
};

} // namespace riffle
