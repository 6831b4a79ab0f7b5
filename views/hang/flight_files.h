// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/flight/flight_dump.h"
#include "views/common/session/file_list.h"

#include <memory>
#include <utility>
#include <vector>

namespace riffle {

/// The open dumps of the Flight Recorder.
class FlightFiles : public FileList {
    Q_OBJECT
public:
    using Dumps = std::vector<std::shared_ptr<const FlightDump>>;

    using FileList::FileList;
    const Dumps &dumps() const { return m_dumps; }
    bool empty() const { return m_dumps.empty(); }
    void setDumps(Dumps dumps)
    {
        if (dumps == m_dumps)
            return;
        m_dumps = std::move(dumps);
        emit changed();
    }

private:
    Dumps m_dumps;
};

} // namespace riffle
