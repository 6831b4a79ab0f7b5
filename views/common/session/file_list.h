// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

namespace riffle {

/// Open files of one kind that are no members of the trace set, for the page that shows them. Owned by the window.
class FileList : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// The file that is being read, by name; empty if there is none.
    const QString &loading() const { return m_loading; }
    void setLoading(const QString &name)
    {
        m_loading = name;
        emit loadingChanged();
    }

signals:
    void changed();
    void loadingChanged();
    void openRequested(); ///< asks the window to let the user choose files

private:
    QString m_loading;
};

} // namespace riffle
