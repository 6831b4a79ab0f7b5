// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/look/chip_bar.h"

namespace riffle {

/// Says in the header of a view that a range or filters limit what it shows, or that they do not apply to it. A click
/// shows the whole. It is hidden while nothing is limited.
class LimitBadge : public Chip {
    Q_OBJECT
public:
    explicit LimitBadge(Session *session, QWidget *parent = nullptr);

    /// Bits of narrowed_by: `ignored` do not limit the view, and the badge says so; `unsaid` are not mentioned.
    void setIgnored(uint32_t ignored, uint32_t unsaid = 0);

private:
    void refresh();

    Session *m_session;
    uint32_t m_ignored = 0, m_unsaid = 0;
};

} // namespace riffle
