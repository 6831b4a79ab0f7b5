// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/common/session/session.h"

#include <QJsonObject>
#include <QObject>
#include <QTimer>

#include <functional>
#include <optional>
#include <vector>

namespace riffle {

/// Goes back and forward through the places that the user has visited. A place consists of the visible range, the
/// selection, the area, the filters, and what the window says of itself: its page, its tables and their groupings. It
/// is recorded once it has been shown for a moment, so that holding a key records one place instead of hundreds.
class History : public QObject {
    Q_OBJECT
public:
    explicit History(Session *session, QObject *parent = nullptr);

    /// Sets the functions by which the window tells about itself and shows that again. The window calls noteMove() when
    /// it has changed.
    void setWindow(std::function<QJsonObject()> look, std::function<void(const QJsonObject &)> showLook);
    void noteMove();

    bool canGoBack() const;
    bool canGoForward() const { return m_at + 1 < m_places.size(); }
    void clear();
    /// Records the current place immediately.
    void settle();

public slots:
    void back();
    void forward();

signals:
    void changed(); ///< canGoBack() or canGoForward()

private:
    struct Place {
        TimeSpan visible;
        SliceRef selected;
        std::optional<AreaSelection> area;
        Filters filters;
        QJsonObject window;
        bool operator==(const Place &) const = default;
    };
    Place present() const;
    void show(const Place &place);
    void pointAgain();

    static constexpr size_t kPlaces = 200;
    static constexpr int kMomentMs = 600;
    Session *m_session;
    std::function<QJsonObject()> m_look;
    std::function<void(const QJsonObject &)> m_showLook;
    TraceSet m_known; ///< the traces at which the places point
    std::vector<Place> m_places;
    size_t m_at = 0;
    bool m_showing = false;
    QTimer m_timer;
};

} // namespace riffle
