// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/session/session_file.h"

#include "views/common/look/qt_text.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSaveFile>

#include <algorithm>
#include <array>

namespace riffle {

namespace {

constexpr int kVersion = 1;
constexpr qint64 kMaxBytes = 16 << 20;

QJsonObject spanToJson(TimeSpan span)
{
    return {{QStringLiteral("begin"), QString::number(span.begin)}, {QStringLiteral("end"), QString::number(span.end)}};
}

std::optional<TimeSpan> spanFromJson(const QJsonValue &value)
{
    bool goodBegin = false;
    bool goodEnd = false;
    const TimeSpan span{value[QStringLiteral("begin")].toString().toLongLong(&goodBegin),
                        value[QStringLiteral("end")].toString().toLongLong(&goodEnd)};
    return goodBegin && goodEnd && span.begin <= span.end ? std::optional(span) : std::nullopt;
}

QJsonObject identityToJson(const SourceIdentity &identity)
{
    return {{QStringLiteral("size"), QString::number(identity.size)},
            {QStringLiteral("hash"), QString::number(identity.contentHash, 16)}};
}

std::optional<SourceIdentity> identityFromJson(const QJsonValue &value)
{
    bool goodSize = false;
    bool goodHash = false;
    SourceIdentity identity;
    identity.size = value[QStringLiteral("size")].toString().toULongLong(&goodSize);
    identity.contentHash = value[QStringLiteral("hash")].toString().toULongLong(&goodHash, 16);
    return goodSize && goodHash ? std::optional(identity) : std::nullopt;
}

QJsonArray timeToJson(const TimeMap &time)
{
    QJsonArray knots;
    for (const TimeMap::Knot &knot : time.knots())
        knots.append(QJsonObject{{QStringLiteral("trace"), QString::number(knot.trace)},
                                 {QStringLiteral("set"), QString::number(knot.set)}});
    return knots;
}

/// Reads the knots of a map. Returns nothing if there are none, they do not ascend, or a time is absurd.
std::optional<TimeMap> timeFromJson(const QJsonArray &array)
{
    std::vector<TimeMap::Knot> knots;
    for (const QJsonValue &value : array) {
        bool goodTrace = false;
        bool goodSet = false;
        const TimeMap::Knot knot{value[QStringLiteral("trace")].toString().toLongLong(&goodTrace),
                                 value[QStringLiteral("set")].toString().toLongLong(&goodSet)};
        const auto isSane = [](Ns time) { return time >= kEarliestTime && time <= kLatestTime; };
        if (!goodTrace || !goodSet || !isSane(knot.trace) || !isSane(knot.set) ||
            (!knots.empty() && (knot.trace <= knots.back().trace || knot.set <= knots.back().set)))
            return std::nullopt;
        knots.push_back(knot);
    }
    return knots.empty() ? std::nullopt : std::optional(TimeMap(std::move(knots)));
}

void putLane(QJsonObject &into, const SessionFile::Lane &lane)
{
    into[QStringLiteral("file")] = static_cast<qint64>(lane.file);
    into[QStringLiteral("lane")] = lane.key;
}

/// Reads a lane. Returns nothing for files of older versions, which do not name lanes.
std::optional<SessionFile::Lane> laneFromJson(const QJsonValue &value)
{
    const qint64 file = value[QStringLiteral("file")].toInteger(-1);
    const QString key = value[QStringLiteral("lane")].toString();
    return file >= 0 && !key.isEmpty() ? std::optional(SessionFile::Lane{static_cast<size_t>(file), key})
                                       : std::nullopt;
}

QJsonArray lanesToJson(const std::vector<SessionFile::Lane> &lanes)
{
    QJsonArray array;
    for (const SessionFile::Lane &lane : lanes) {
        QJsonObject entry;
        putLane(entry, lane);
        array.append(entry);
    }
    return array;
}

QJsonObject selectedToJson(const SessionFile::SelectedSlice &selected)
{
    QJsonObject object{{QStringLiteral("name"), selected.name},
                       {QStringLiteral("start"), QString::number(selected.start)}};
    if (selected.lane) {
        putLane(object, *selected.lane);
        object[QStringLiteral("row")] = static_cast<qint64>(selected.row);
    }
    return object;
}

SessionFile::SelectedSlice selectedFromJson(const QJsonObject &object)
{
    return {object[QStringLiteral("name")].toString(), object[QStringLiteral("start")].toString().toLongLong(),
            laneFromJson(object), static_cast<uint32_t>(object[QStringLiteral("row")].toInteger())};
}

/// The classes of work in session files, in the order of WorkClass.
constexpr std::array<const char *, kWorkClasses> kClassWords{
    "",       "matrix-products", "attention", "other-compute", "compiled",     "communication",
    "copies", "forward",         "backward",  "optimizer",     "data-loading", "other-host"};

QJsonArray classesToJson(WorkClassSet classes)
{
    QJsonArray words;
    for (size_t at = 1; at < kWorkClasses; ++at)
        if (classes & bitOf(static_cast<WorkClass>(at)))
            words.append(QLatin1String(kClassWords[at]));
    return words;
}

WorkClassSet classesFromJson(const QJsonArray &words)
{
    WorkClassSet classes = 0;
    for (size_t at = 1; at < kWorkClasses; ++at)
        if (words.contains(QLatin1String(kClassWords[at])))
            classes |= bitOf(static_cast<WorkClass>(at));
    return classes;
}

QJsonObject filtersToJson(const SessionFile::SavedFilters &filters)
{
    QJsonArray steps, traces, without;
    for (const std::string &name : filters.plain.withoutNames)
        without.append(toQString(name));
    for (const int64_t step : filters.plain.steps)
        steps.append(QString::number(step));
    for (const size_t trace : filters.traces)
        traces.append(static_cast<qint64>(trace));
    return {{QStringLiteral("stepMark"), toQString(filters.plain.stepMark)},
            {QStringLiteral("withoutFirstStep"), filters.plain.withoutFirstStep},
            {QStringLiteral("steps"), steps},
            {QStringLiteral("lanes"), lanesToJson(filters.lanes)},
            {QStringLiteral("traces"), traces},
            {QStringLiteral("name"), toQString(filters.plain.name)},
            {QStringLiteral("withoutNames"), without},
            {QStringLiteral("text"), toQString(filters.plain.text)},
            {QStringLiteral("classes"), classesToJson(filters.plain.classes)},
            {QStringLiteral("followsView"), filters.followsView}};
}

SessionFile::SavedFilters filtersFromJson(const QJsonObject &object)
{
    SessionFile::SavedFilters filters;
    filters.plain.stepMark = toUtf8(object[QStringLiteral("stepMark")].toString());
    filters.plain.withoutFirstStep = object[QStringLiteral("withoutFirstStep")].toBool();
    for (const QJsonValue &value : object[QStringLiteral("steps")].toArray()) {
        bool good = false;
        if (const qint64 step = value.toString().toLongLong(&good); good)
            filters.plain.steps.push_back(step);
    }
    for (const QJsonValue &value : object[QStringLiteral("lanes")].toArray())
        if (const auto lane = laneFromJson(value))
            filters.lanes.push_back(*lane);
    for (const QJsonValue &value : object[QStringLiteral("traces")].toArray())
        if (const qint64 trace = value.toInteger(-1); trace >= 0)
            filters.traces.push_back(static_cast<size_t>(trace));
    filters.plain.name = toUtf8(object[QStringLiteral("name")].toString());
    for (const QJsonValue &value : object[QStringLiteral("withoutNames")].toArray())
        filters.plain.withoutNames.push_back(toUtf8(value.toString()));
    filters.plain.text = toUtf8(object[QStringLiteral("text")].toString());
    filters.plain.classes = classesFromJson(object[QStringLiteral("classes")].toArray());
    filters.followsView = object[QStringLiteral("followsView")].toBool();
    return filters;
}

} // namespace

bool SessionFile::isNamedLikeOne(const QString &path)
{
    return path.endsWith(QLatin1String(".riffle"), Qt::CaseInsensitive);
}

Result<SessionFile> SessionFile::read(const QString &path)
{
    QFile file(path);
    if (const QFileInfo info(path); info.exists() && !info.isFile()) // opening a pipe could block for ever
        return Error{"This is not a regular file.", toUtf8(path), {}};
    if (!file.open(QIODevice::ReadOnly))
        return Error{toUtf8(file.errorString()), toUtf8(path), {}};
    if (file.size() > kMaxBytes)
        return Error{"This is not a session file: it is larger than 16 MiB.", toUtf8(path), {}};
    const QJsonDocument document = QJsonDocument::fromJson(file.readAll());
    const QJsonObject root = document.object();
    const int version = root[QStringLiteral("riffle")].toInt();
    if (version == 0)
        return Error{"This is not a session file.", toUtf8(path), {}};
    if (version > kVersion)
        return Error{"This session file was written by a newer version of Riffle.", toUtf8(path), {}};

    SessionFile session;
    const QDir folder = QFileInfo(path).absoluteDir();
    for (const QJsonValue &value : root[QStringLiteral("files")].toArray()) {
        const QString relative = value[QStringLiteral("path")].toString();
        if (isNamedLikeOne(relative))
            return Error{"The session lists another session, " + toUtf8(relative) +
                             ", but a session cannot contain other sessions.",
                         toUtf8(path),
                         {}};
        if (relative.isEmpty())
            continue;
        const qint64 trace = value[QStringLiteral("trace")].toInteger(-1);
        session.files.push_back({QDir::cleanPath(folder.absoluteFilePath(relative)),
                                 identityFromJson(value[QStringLiteral("fingerprint")]),
                                 timeFromJson(value[QStringLiteral("clock")].toArray()),
                                 trace >= 0 ? std::optional(static_cast<size_t>(trace)) : std::nullopt});
    }
    if (session.files.empty())
        return Error{"The session does not list any files.", toUtf8(path), {}};
    session.range = spanFromJson(root[QStringLiteral("range")]);
    session.steps = spanFromJson(root[QStringLiteral("steps")]);
    session.visible = spanFromJson(root[QStringLiteral("visible")]);
    session.area = spanFromJson(root[QStringLiteral("area")]);
    if (const QJsonObject selected = root[QStringLiteral("selected")].toObject(); !selected.isEmpty())
        session.selected = selectedFromJson(selected);
    for (const QJsonValue &value : root[QStringLiteral("area")][QStringLiteral("lanes")].toArray())
        if (const auto lane = laneFromJson(value))
            session.areaLanes.push_back(*lane);
    session.areaOwn = rankSpanFromJson(root[QStringLiteral("area")][QStringLiteral("own")]);
    session.marks = marksFromJson(root[QStringLiteral("marks")].toArray());
    session.lanes = root[QStringLiteral("lanes")].toObject();
    if (const QJsonObject filters = root[QStringLiteral("filters")].toObject(); !filters.isEmpty())
        session.filters = filtersFromJson(filters);
    session.view = root[QStringLiteral("view")].toObject();
    session.memory = SessionMemory::fromJson(root[QStringLiteral("memory")].toObject(), folder);
    return session;
}

Result<void> SessionFile::write(const QString &path) const
{
    const QDir folder = QFileInfo(path).absoluteDir();
    QJsonArray list;
    for (const File &file : files) {
        QJsonObject entry{{QStringLiteral("path"), folder.relativeFilePath(file.path)}};
        if (file.identity)
            entry[QStringLiteral("fingerprint")] = identityToJson(*file.identity);
        if (file.time)
            entry[QStringLiteral("clock")] = timeToJson(*file.time);
        if (file.trace)
            entry[QStringLiteral("trace")] = static_cast<qint64>(*file.trace);
        list.append(entry);
    }
    QJsonObject root{{QStringLiteral("riffle"), kVersion}, {QStringLiteral("files"), list}};
    const auto put = [&](const QString &key, const std::optional<TimeSpan> &span) {
        if (span)
            root[key] = spanToJson(*span);
    };
    put(QStringLiteral("range"), range);
    put(QStringLiteral("steps"), steps);
    put(QStringLiteral("visible"), visible);
    if (area) {
        QJsonObject object = spanToJson(*area);
        object[QStringLiteral("lanes")] = lanesToJson(areaLanes);
        if (areaOwn)
            object[QStringLiteral("own")] = rankSpanToJson(*areaOwn);
        root[QStringLiteral("area")] = object;
    }
    if (selected)
        root[QStringLiteral("selected")] = selectedToJson(*selected);
    root[QStringLiteral("marks")] = marksToJson(marks);
    root[QStringLiteral("lanes")] = lanes;
    if (filters)
        root[QStringLiteral("filters")] = filtersToJson(*filters);
    if (!view.isEmpty())
        root[QStringLiteral("view")] = view;
    if (memory)
        root[QStringLiteral("memory")] = memory->toJson(folder);
    QSaveFile out(path);
    if (!out.open(QIODevice::WriteOnly) || out.write(QJsonDocument(root).toJson()) < 0 || !out.commit())
        return Error{toUtf8(out.errorString()), toUtf8(path), {}};
    return {};
}

SessionFile SessionFile::keeping(const std::vector<size_t> &kept) const
{
    const auto newPlace = [&](size_t file) {
        const auto at = std::ranges::find(kept, file);
        return at == kept.end() ? std::nullopt : std::optional(static_cast<size_t>(at - kept.begin()));
    };
    const auto keepLanes = [&](std::vector<Lane> &from) {
        std::erase_if(from, [&](const Lane &lane) { return !newPlace(lane.file); });
        for (Lane &lane : from)
            lane.file = *newPlace(lane.file);
    };
    SessionFile session = *this;
    session.files.clear();
    for (const size_t file : kept) {
        session.files.push_back(files[file]);
        if (std::optional<size_t> &trace = session.files.back().trace)
            trace = newPlace(*trace);
    }
    keepLanes(session.areaLanes);
    if (!areaLanes.empty() && session.areaLanes.empty())
        session.area.reset();
    const auto moveSpan = [&](std::optional<RankSpan> &span) {
        if (const auto place = span ? newPlace(span->file) : std::nullopt)
            span->file = *place;
        else
            span.reset();
    };
    moveSpan(session.areaOwn);
    for (SavedMark &mark : session.marks)
        moveSpan(mark.own);
    if (session.selected && session.selected->lane) {
        if (const auto place = newPlace(session.selected->lane->file))
            session.selected->lane->file = *place;
        else
            session.selected.reset();
    }
    if (session.filters) {
        keepLanes(session.filters->lanes);
        std::erase_if(session.filters->traces, [&](size_t trace) { return !newPlace(trace); });
        for (size_t &trace : session.filters->traces)
            trace = *newPlace(trace);
    }
    if (session.memory) {
        if (const auto place = newPlace(session.memory->file))
            session.memory->file = *place;
        else
            session.memory.reset();
    }
    return session;
}

QStringList SessionFile::changedFiles() const
{
    QStringList changed;
    for (const File &file : files) {
        const auto now = SourceIdentity::of(toUtf8(file.path));
        if (now && file.identity &&
            (now->size != file.identity->size || now->contentHash != file.identity->contentHash))
            changed += file.path;
    }
    return changed;
}

} // namespace riffle
