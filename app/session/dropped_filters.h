// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/filters.h"

#include <QObject>

#include <vector>

namespace riffle {

class Session;

/// Remembers the filters that were dropped, so that they can come back, the last one first. What was dropped together
/// comes back together. Filters of traces that are closed are forgotten.
class DroppedFilters : public QObject {
    Q_OBJECT
public:
    explicit DroppedFilters(Session *session, QObject *parent = nullptr);

    bool any() const { return !m_dropped.empty(); }
    void bringBack();

signals:
    void changed(); ///< any()

private:
    struct Drop {
        Filters before; ///< the filters with those that were dropped
        std::vector<Filters::Part> parts;
    };
    void compare();

    static constexpr size_t kDrops = 50;
    Session *m_session;
    Filters m_now;
    std::vector<Drop> m_dropped; ///< the last one at the end
};

} // namespace riffle
