// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/flight/flight_dump.h"

#include <QObject>
#include <QString>

#include <memory>
#include <utility>
#include <vector>

namespace riffle {

/// The open dumps of the Flight Recorder. Owned by the window.
class FlightFiles : public QObject {
    Q_OBJECT
public:
    using Dumps = std::vector<std::shared_ptr<const FlightDump>>;

    using QObject::QObject;
    const Dumps &dumps() const { return m_dumps; }
    bool empty() const { return m_dumps.empty(); }
    /// The file that is being read, by name; empty if there is none.
    const QString &loading() const { return m_loading; }
    void setLoading(const QString &name)
    {
        m_loading = name;
        emit loadingChanged();
    }
    void setDumps(Dumps dumps)
    {
        if (dumps == m_dumps)
            return;
        m_dumps = std::move(dumps);
        emit changed();
    }

signals:
    void changed();
    void loadingChanged();
    void openRequested(); ///< asks the window to let the user choose files

private:
    QString m_loading;
    Dumps m_dumps;
};

} // namespace riffle
