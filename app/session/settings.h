// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/session/part_choice.h"
#include "app/session/recent_set.h"
#include "views/common/look/theme.h"

#include <QJsonObject>
#include <QObject>
#include <QSettings>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace riffle {

/// Everything that the program remembers from one start to the next. Only this class uses QSettings.
class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(QObject *parent = nullptr);
    /// Keeps the settings in this file instead of the user's settings.
    explicit Settings(const QString &file, QObject *parent = nullptr);

    std::optional<ThemeKind> theme() const; ///< nothing to follow the desktop
    void setTheme(std::optional<ThemeKind> theme);

    /// True if the series of charts have patterns besides their colours.
    bool chartPatterns() const;
    void setChartPatterns(bool on);

    /// A command with %f for the file and %l for the line; empty for the desktop's default program.
    QString editorCommand() const;
    void setEditorCommand(const QString &command);
    /// Pairs of a recorded path prefix and its replacement on this machine.
    using PathMap = std::vector<std::pair<QString, QString>>;
    PathMap pathMap() const;
    void setPathMap(const PathMap &map);

    bool storeEnabled() const;
    void setStoreEnabled(bool on);
    qint64 storeLimitBytes() const;
    void setStoreLimitBytes(qint64 bytes);
    qint64 memoryLimitBytes() const; ///< for the large arrays of all open files together
    void setMemoryLimitBytes(qint64 bytes);

    /// Files from this size on are read only after the user has chosen which part; 0 if the user is never asked.
    qint64 partLimitBytes() const;
    void setPartLimitBytes(qint64 bytes);
    static constexpr qint64 kPartLimitBytes = qint64(1) << 30;
    PartChoice lastPart() const;
    void setLastPart(const PartChoice &choice);

    QString memoryRulesFile() const; ///< empty to guess categories of memory with the built-in rules
    void setMemoryRulesFile(const QString &file);

    /// The keys that the user gave to the action with this name; nothing if it has its own.
    std::optional<QStringList> keys(const QString &action) const;
    void setKeys(const QString &action, const std::optional<QStringList> &keys);
    QStringList recentCommands() const; ///< the newest first
    void addRecentCommand(const QString &command);

    /// The sets that were opened last, the newest first.
    std::vector<RecentSet> recentSets() const;
    /// Puts a set in front, in place of one with the same files.
    void addRecentSet(const RecentSet &set);
    void clearRecentSets();

    QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray &geometry);

    /// The user's changes to the lanes of these files, and their marks.
    QJsonObject traceState(const QStringList &files) const;
    void setTraceState(const QStringList &files, const QJsonObject &state);

    /// The row order and the columns of a view's table.
    QJsonObject viewState(const QString &id) const;
    void setViewState(const QString &id, const QJsonObject &state);

signals:
    void recentSetsChanged();
    void themeChanged();
    void chartPatternsChanged();

private:
    QSettings m_settings;
};

} // namespace riffle
