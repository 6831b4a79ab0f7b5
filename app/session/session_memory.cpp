// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_memory.h"

#include <QJsonArray>

#include <array>

namespace riffle {

namespace {

using Colour = MemorySession::Colour;
constexpr std::array<std::pair<const char *, Colour>, 5> kColours{{{"stack", Colour::Stack},
                                                                   {"size", Colour::Size},
                                                                   {"category", Colour::Category},
                                                                   {"pool", Colour::Pool},
                                                                   {"stream", Colour::Stream}}};

std::optional<uint32_t> numberFrom(const QJsonValue &value)
{
    const qint64 number = value.toInteger(-1);
    return number >= 0 && number < MemorySession::kNone ? std::optional(static_cast<uint32_t>(number)) : std::nullopt;
}

QString colourName(Colour colour)
{
    for (const auto &[name, one] : kColours)
        if (one == colour)
            return QString::fromLatin1(name);
    return {};
}

} // namespace

QJsonObject SessionMemory::toJson(const QDir &folder) const
{
    QJsonObject object{{QStringLiteral("file"), static_cast<qint64>(file)},
                       {QStringLiteral("device"), static_cast<qint64>(device)},
                       {QStringLiteral("colour"), colourName(colour)},
                       {QStringLiteral("axis"), timed ? QStringLiteral("time") : QStringLiteral("event")},
                       {QStringLiteral("rules"), rules.isEmpty() ? QString() : folder.relativeFilePath(rules)}};
    if (instant)
        object[QStringLiteral("instant")] = static_cast<qint64>(*instant);
    if (range)
        object[QStringLiteral("range")] =
            QJsonArray{static_cast<qint64>(range->first), static_cast<qint64>(range->second)};
    if (selected)
        object[QStringLiteral("selected")] = static_cast<qint64>(*selected);
    return object;
}

std::optional<SessionMemory> SessionMemory::fromJson(const QJsonObject &object, const QDir &folder)
{
    const auto file = numberFrom(object[QStringLiteral("file")]), device = numberFrom(object[QStringLiteral("device")]);
    if (!file || !device)
        return std::nullopt;
    SessionMemory memory;
    memory.file = *file;
    memory.device = *device;
    memory.instant = numberFrom(object[QStringLiteral("instant")]);
    const QJsonArray range = object[QStringLiteral("range")].toArray();
    const auto first = numberFrom(range.at(0)), last = numberFrom(range.at(1));
    if (first && last)
        memory.range = std::pair(*first, *last);
    memory.selected = numberFrom(object[QStringLiteral("selected")]);
    const QString colour = object[QStringLiteral("colour")].toString();
    for (const auto &[name, one] : kColours)
        if (colour == QLatin1String(name))
            memory.colour = one;
    memory.timed = object[QStringLiteral("axis")].toString() == QLatin1String("time");
    if (const QString rules = object[QStringLiteral("rules")].toString(); !rules.isEmpty())
        memory.rules = QDir::cleanPath(folder.absoluteFilePath(rules));
    return memory;
}

SessionMemory SessionMemory::of(const MemorySession &memory, size_t firstFile)
{
    SessionMemory out;
    out.file = firstFile + memory.place().snapshot;
    out.device = memory.place().device;
    if (memory.instant() != MemorySession::kNone)
        out.instant = memory.instant();
    if (const auto range = memory.range())
        out.range = std::pair(range->first, range->last);
    if (memory.selected() != MemorySession::kNone)
        out.selected = memory.selected();
    out.colour = memory.colour();
    out.rules = memory.rulesFile();
    return out;
}

void SessionMemory::applyTo(MemorySession *memory, size_t snapshot) const
{
    memory->setPlace({snapshot, device});
    if (memory->place() != MemorySession::At{snapshot, device})
        return; // the file was replaced by one without this device
    memory->setInstant(instant.value_or(MemorySession::kNone));
    if (range)
        memory->setRange(MemorySession::EventRange{range->first, range->second});
    memory->select(selected.value_or(MemorySession::kNone));
}

std::optional<size_t> openedSnapshot(const QStringList &files, size_t file, const QStringList &opened)
{
    qsizetype next = 0;
    for (qsizetype at = 0; at < files.size() && next < opened.size(); ++at) {
        const bool isIt = opened[next] == files[at];
        if (static_cast<size_t>(at) == file)
            return isIt ? std::optional(static_cast<size_t>(next)) : std::nullopt;
        next += isIt;
    }
    return std::nullopt;
}

} // namespace riffle
