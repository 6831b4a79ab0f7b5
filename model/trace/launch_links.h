// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/ids.h"
#include "model/trace/column.h"

#include <cstddef>
#include <cstdint>

namespace riffle {

/// The links from launches (runtime and driver calls) to the device work that they launched, ordered by launch, then by
/// work. A link is named by its place in this order, which is that of one trace only.
class LaunchLinks {
public:
    LaunchLinks() = default;
    /// `work` and `launch` are columns of a table that is ordered by work; `byLaunch` are its rows that have a launch,
    /// in the order of the links. A damaged store can contain any number, so rows that do not exist are links to
    /// nothing.
    LaunchLinks(Column<uint32_t> work, Column<uint32_t> launch, Column<uint32_t> byLaunch);

    size_t size() const { return m_byLaunch.size(); }
    SliceId launch(size_t link) const { return SliceId(m_launch.at(m_byLaunch[link], SliceId::kNone)); }
    SliceId work(size_t link) const { return SliceId(m_work.at(m_byLaunch[link], SliceId::kNone)); }
    /// Returns the first link whose launch is this slice or has a larger id; size() if there is none.
    size_t firstFrom(SliceId launch) const;
    /// Returns the launch of device work; none if it has no link.
    SliceId launchOf(SliceId work) const;
    const Column<uint32_t> &byLaunch() const { return m_byLaunch; } ///< as given to the constructor

private:
    Column<uint32_t> m_work, m_launch, m_byLaunch;
};

} // namespace riffle
