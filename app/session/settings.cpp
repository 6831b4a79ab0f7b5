// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/settings.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>

namespace riffle {

namespace {

constexpr int kRecentCommands = 20;
constexpr int kRecentSets = 12;
constexpr int kRememberedTraces = 200;

QString stateKey(const QStringList &files)
{
    QByteArray text;
    for (const QString &file : files)
        text += QFileInfo(file).absoluteFilePath().toUtf8() + '\n';
    return QString::fromLatin1(QCryptographicHash::hash(text, QCryptographicHash::Sha1).toHex());
}

} // namespace

Settings::Settings(QObject *parent) : QObject(parent), m_settings(QStringLiteral("riffle"), QStringLiteral("riffle")) {}

Settings::Settings(const QString &file, QObject *parent) : QObject(parent), m_settings(file, QSettings::IniFormat) {}

std::optional<ThemeKind> Settings::theme() const
{
    const QString name = m_settings.value(QStringLiteral("theme")).toString();
    if (name == QLatin1String("light"))
        return ThemeKind::Light;
    if (name == QLatin1String("dark"))
        return ThemeKind::Dark;
    return std::nullopt;
}

void Settings::setTheme(std::optional<ThemeKind> theme)
{
    if (theme)
        m_settings.setValue(QStringLiteral("theme"),
                            *theme == ThemeKind::Dark ? QStringLiteral("dark") : QStringLiteral("light"));
    else
        m_settings.remove(QStringLiteral("theme"));
    emit themeChanged();
}

bool Settings::chartPatterns() const { return m_settings.value(QStringLiteral("charts/patterns"), false).toBool(); }

void Settings::setChartPatterns(bool on)
{
    m_settings.setValue(QStringLiteral("charts/patterns"), on);
    emit chartPatternsChanged();
}

QString Settings::editorCommand() const { return m_settings.value(QStringLiteral("editor/command")).toString(); }

void Settings::setEditorCommand(const QString &command)
{
    m_settings.setValue(QStringLiteral("editor/command"), command);
}

Settings::PathMap Settings::pathMap() const
{
    PathMap map;
    const QStringList flat = m_settings.value(QStringLiteral("editor/paths")).toStringList();
    for (qsizetype i = 0; i + 1 < flat.size(); i += 2)
        map.emplace_back(flat[i], flat[i + 1]);
    return map;
}

void Settings::setPathMap(const PathMap &map)
{
    QStringList flat;
    for (const auto &[from, to] : map)
        flat << from << to;
    m_settings.setValue(QStringLiteral("editor/paths"), flat);
}

bool Settings::storeEnabled() const { return m_settings.value(QStringLiteral("store/enabled"), true).toBool(); }

void Settings::setStoreEnabled(bool on) { m_settings.setValue(QStringLiteral("store/enabled"), on); }

qint64 Settings::storeLimitBytes() const
{
    return m_settings.value(QStringLiteral("store/limit"), qint64(20) << 30).toLongLong();
}

void Settings::setStoreLimitBytes(qint64 bytes) { m_settings.setValue(QStringLiteral("store/limit"), bytes); }

qint64 Settings::memoryLimitBytes() const
{
    return m_settings.value(QStringLiteral("memory/limit"), qint64(4) << 30).toLongLong();
}

void Settings::setMemoryLimitBytes(qint64 bytes) { m_settings.setValue(QStringLiteral("memory/limit"), bytes); }

qint64 Settings::partLimitBytes() const
{
    return m_settings.value(QStringLiteral("part/limit"), kPartLimitBytes).toLongLong();
}

void Settings::setPartLimitBytes(qint64 bytes) { m_settings.setValue(QStringLiteral("part/limit"), bytes); }

PartChoice Settings::lastPart() const
{
    const QByteArray text = m_settings.value(QStringLiteral("part/last")).toByteArray();
    return PartChoice::fromJson(QJsonDocument::fromJson(text).object());
}

void Settings::setLastPart(const PartChoice &choice)
{
    m_settings.setValue(QStringLiteral("part/last"), QJsonDocument(choice.toJson()).toJson(QJsonDocument::Compact));
}

QString Settings::memoryRulesFile() const { return m_settings.value(QStringLiteral("memory/rules")).toString(); }

void Settings::setMemoryRulesFile(const QString &file) { m_settings.setValue(QStringLiteral("memory/rules"), file); }

std::optional<QStringList> Settings::keys(const QString &action) const
{
    const QString key = QStringLiteral("keys/") + action;
    return m_settings.contains(key) ? std::optional(m_settings.value(key).toStringList()) : std::nullopt;
}

void Settings::setKeys(const QString &action, const std::optional<QStringList> &keys)
{
    const QString key = QStringLiteral("keys/") + action;
    if (keys)
        m_settings.setValue(key, *keys);
    else
        m_settings.remove(key);
}

QStringList Settings::recentCommands() const
{
    return m_settings.value(QStringLiteral("recentCommands")).toStringList();
}

void Settings::addRecentCommand(const QString &command)
{
    QStringList recent = recentCommands();
    recent.removeAll(command);
    recent.prepend(command);
    m_settings.setValue(QStringLiteral("recentCommands"), QStringList(recent.mid(0, kRecentCommands)));
}

std::vector<RecentSet> Settings::recentSets() const
{
    std::vector<RecentSet> sets;
    const QByteArray text = m_settings.value(QStringLiteral("recentSets")).toByteArray();
    for (const QJsonValue &value : QJsonDocument::fromJson(text).array())
        if (auto set = RecentSet::fromJson(value.toObject()))
            sets.push_back(std::move(*set));
    return sets;
}

void Settings::addRecentSet(const RecentSet &set)
{
    QJsonArray sets{set.toJson()};
    for (const RecentSet &other : recentSets())
        if (!other.isSameAs(set) && sets.size() < kRecentSets)
            sets.append(other.toJson());
    m_settings.setValue(QStringLiteral("recentSets"), QJsonDocument(sets).toJson(QJsonDocument::Compact));
    emit recentSetsChanged();
}

void Settings::clearRecentSets()
{
    m_settings.remove(QStringLiteral("recentSets"));
    emit recentSetsChanged();
}

QByteArray Settings::windowGeometry() const
{
    return m_settings.value(QStringLiteral("window/geometry")).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray &geometry)
{
    m_settings.setValue(QStringLiteral("window/geometry"), geometry);
}

QJsonObject Settings::traceState(const QStringList &files) const
{
    const QByteArray text = m_settings.value(QStringLiteral("traces/") + stateKey(files)).toByteArray();
    return QJsonDocument::fromJson(text).object();
}

void Settings::setTraceState(const QStringList &files, const QJsonObject &state)
{
    const QString key = stateKey(files);
    QStringList order = m_settings.value(QStringLiteral("traceOrder")).toStringList();
    order.removeAll(key);
    order.prepend(key);
    while (order.size() > kRememberedTraces)
        m_settings.remove(QStringLiteral("traces/") + order.takeLast());
    m_settings.setValue(QStringLiteral("traceOrder"), order);
    m_settings.setValue(QStringLiteral("traces/") + key, QJsonDocument(state).toJson(QJsonDocument::Compact));
}

QJsonObject Settings::viewState(const QString &id) const
{
    return QJsonDocument::fromJson(m_settings.value(QStringLiteral("views/") + id).toByteArray()).object();
}

void Settings::setViewState(const QString &id, const QJsonObject &state)
{
    m_settings.setValue(QStringLiteral("views/") + id, QJsonDocument(state).toJson(QJsonDocument::Compact));
}

} // namespace riffle
