// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/package_work.h"

#include "app/sharing/package_file.h"
#include "app/sharing/private_texts.h"
#include "model/ingest/hashed_names.h"
#include "model/ingest/trimmed_trace.h"
#include "views/common/look/qt_text.h"

#include <QDateTime>
#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>

#include <algorithm>
#include <set>

namespace riffle {

namespace {

constexpr size_t kReadAtOnce = 1 << 20; ///< bytes

/// Gives the files of a package names that are entries, differ, and say nothing private.
class EntryNames {
public:
    EntryNames(const PrivateTexts &secrets, bool areHidden) : m_secrets(secrets), m_areHidden(areHidden) {}

    /// `kind` is the name of a file whose own name is private, and `ending` follows it.
    QString nameFor(const QString &path, const QString &kind, const QString &ending)
    {
        QString stem = QFileInfo(path).fileName();
        static const QRegularExpression known(
            QStringLiteral("(\\.pt\\.trace)?\\.(json|trace|rifflelog|pftrace|perfetto-trace)(\\.(gz|zst))?$"));
        if (!ending.isEmpty())
            stem.remove(known);
        static const QRegularExpression others(QStringLiteral("[^A-Za-z0-9._-]+"));
        stem = stem.replace(others, QStringLiteral("_")).left(60);
        if (m_areHidden || m_secrets.touches(toUtf8(stem)) || !isPackageEntry(stem + ending))
            stem = kind;
        QString name = stem + ending;
        for (int number = 2; !m_used.insert(name.toLower()).second; ++number)
            name = QStringLiteral("%1-").arg(number) + stem + ending;
        return name;
    }

private:
    const PrivateTexts &m_secrets;
    bool m_areHidden;
    std::set<QString> m_used{QString::fromLatin1(kPackageSession)};
};

/// True for gzip and zstd files, in which texts cannot be found.
bool isCompressed(const QString &path)
{
    QFile file(path);
    const QByteArray first = file.open(QIODevice::ReadOnly) ? file.read(4) : QByteArray();
    return first.startsWith("\x1f\x8b") || first == QByteArray("\x28\xb5\x2f\xfd", 4);
}

/// Copies a memory file and covers the private texts in it.
Result<void> copyCovered(const QString &from, const QString &to, const PrivateTexts &secrets, const Task &task)
{
    QFile in(from);
    if (!in.open(QIODevice::ReadOnly))
        return Error{toUtf8(in.errorString()), toUtf8(from), std::nullopt};
    auto out = OutputFile::create(toUtf8(to), {});
    if (!out)
        return out.error();
    std::string window;
    while (!in.atEnd()) {
        if (task.stopped())
            return Error{"Cancelled.", {}, std::nullopt, ErrorKind::Cancelled};
        const QByteArray piece = in.read(kReadAtOnce);
        if (piece.isEmpty())
            return Error{toUtf8(in.errorString()), toUtf8(from), std::nullopt};
        window.append(piece.constData(), static_cast<size_t>(piece.size()));
        secrets.coverIn(window, in.atEnd());
        // A text can begin before the end of a piece, and the byte before it decides whether it is a word.
        const size_t kept = in.atEnd() ? 0 : std::min(window.size(), secrets.longest() + 2);
        if (const auto good = (*out)->write(std::string_view(window).substr(0, window.size() - kept)); !good)
            return good;
        window.erase(0, window.size() - kept);
    }
    return (*out)->place();
}

class PackageSaving {
public:
    PackageSaving(const PackageRequest &request, const ImportOptions &options, const Task &task)
        : m_request(request)
        , m_options(options)
        , m_task(task)
        , m_folder(QFileInfo(request.path).absoluteDir().filePath(QStringLiteral(".riffle-package-XXXXXX")))
        , m_secrets(foldersOf(request))
        , m_names(m_secrets, request.hashNames)
        , m_session(request.session)
    {
    }

    Result<SavedPackage> save()
    {
        if (!m_folder.isValid())
            return Error{toUtf8(m_folder.errorString()), toUtf8(m_request.path), std::nullopt};
        for (size_t file = 0; file < m_request.session.files.size(); ++file) {
            const auto good = file < m_request.parts.size() ? takeTrace(file) : takeMemory(file);
            if (!good)
                return good.error();
        }
        if (m_kept.empty())
            return Error{toUtf8(QStringLiteral("Nothing is left to save. ") + m_leftOut.join(QLatin1Char(' '))),
                         toUtf8(m_request.path), std::nullopt};
        if (const auto good = describe(); !good)
            return good.error();
        return pack();
    }

private:
    /// The folders of the files, whose names are nobody's business.
    static std::vector<std::string> foldersOf(const PackageRequest &request)
    {
        std::vector<std::string> folders;
        for (const SessionFile::File &file : request.session.files)
            folders.push_back(toUtf8(QFileInfo(file.path).absolutePath()));
        return folders;
    }

    void keep(size_t file, const QString &name)
    {
        SessionFile::File &entry = m_session.files[file];
        entry.path = m_folder.filePath(name);
        const auto identity = SourceIdentity::of(toUtf8(entry.path));
        entry.identity = identity ? std::optional(*identity) : std::nullopt;
        m_kept.push_back(file);
    }

    Result<void> takeTrace(size_t file)
    {
        const SessionFile::File &entry = m_request.session.files[file];
        if (!m_request.parts[file])
            return {};
        const QString name = m_names.nameFor(entry.path, QStringLiteral("trace"), QStringLiteral(".pt.trace.json.gz"));
        ImportOptions own = m_options;
        own.range = m_request.parts[file];
        const auto rewrite = [this](std::string &json) {
            if (m_request.hashNames)
                hashNames(json);
            m_secrets.replaceIn(json);
        };
        const auto written = trimTrace(toUtf8(entry.path), own, toUtf8(m_folder.filePath(name)), m_task, rewrite);
        if (!written)
            return written.error();
        keep(file, name);
        return {};
    }

    Result<void> takeMemory(size_t file)
    {
        const QString path = m_request.session.files[file].path;
        const QString shown = QFileInfo(path).fileName();
        if (m_request.hashNames) {
            m_leftOut += QObject::tr("%1 is left out, because its names cannot be replaced.").arg(shown);
            return {};
        }
        if (!QFileInfo(path).isFile()) {
            m_leftOut += QObject::tr("%1 is left out, because it is a folder.").arg(shown);
            return {};
        }
        if (isCompressed(path)) {
            m_leftOut += QObject::tr("%1 is left out, because the paths in compressed memory files cannot be covered. "
                                     "Decompress it to include it.")
                             .arg(shown);
            return {};
        }
        const QString name = m_names.nameFor(path, QStringLiteral("memory"), {});
        const auto copied = copyCovered(path, m_folder.filePath(name), m_secrets, m_task);
        if (copied)
            keep(file, name);
        return copied;
    }

    /// Writes the session of the package.
    Result<void> describe()
    {
        SessionFile session = m_session.keeping(m_kept);
        session.range.reset(); // the files are the parts
        session.steps.reset();
        const auto change = [this](std::string text) {
            if (m_request.hashNames)
                text = hashedName(text);
            m_secrets.replaceIn(text);
            return text;
        };
        if (session.selected)
            session.selected->name = toQString(change(toUtf8(session.selected->name)));
        if (session.filters) {
            session.filters->plain.name = change(session.filters->plain.name);
            session.filters->plain.stepMark = change(session.filters->plain.stepMark);
            for (std::string &name : session.filters->plain.withoutNames)
                name = change(name);
            if (m_request.hashNames) { // hashed names match no text and say nothing of a kernel's class
                session.filters->plain.text.clear();
                session.filters->plain.classes = 0;
            }
        }
        if (m_request.hashNames) {
            // The keys of lanes contain names. An area of some lanes would otherwise become one of all.
            session.lanes = {};
            if (!session.areaLanes.empty())
                session.area.reset();
            session.areaLanes.clear();
            if (session.selected)
                session.selected->lane.reset();
            if (session.filters)
                session.filters->lanes.clear();
        }
        if (session.memory && !session.memory->rules.isEmpty()) {
            const QString name = m_names.nameFor({}, QStringLiteral("rules"), QStringLiteral(".json"));
            const QString rules = std::exchange(session.memory->rules, m_folder.filePath(name));
            if (const auto copied = copyCovered(rules, session.memory->rules, m_secrets, m_task); !copied)
                return copied;
            m_rules = name;
        }
        return session.write(m_folder.filePath(QString::fromLatin1(kPackageSession)));
    }

    Result<SavedPackage> pack()
    {
        std::vector<QString> names{QString::fromLatin1(kPackageSession)};
        for (const size_t file : m_kept)
            names.push_back(QFileInfo(m_session.files[file].path).fileName());
        if (!m_rules.isEmpty())
            names.push_back(m_rules);
        auto package = PackageWriter::create(m_request.path, m_request.inputs);
        if (!package)
            return package.error();
        for (const QString &name : names)
            if (const auto good = package->add(name, m_folder.filePath(name), m_task); !good)
                return good.error();
        if (const auto good = package->place(); !good)
            return good.error();
        return SavedPackage{m_kept.size(), m_leftOut};
    }

    const PackageRequest &m_request;
    const ImportOptions &m_options;
    const Task &m_task;
    QTemporaryDir m_folder;
    PrivateTexts m_secrets;
    EntryNames m_names;
    SessionFile m_session; ///< its files get the paths of their copies
    std::vector<size_t> m_kept;
    QString m_rules;
    QStringList m_leftOut;
};

/// An error if a session names anything but plain files of its own folder.
Result<void> checkSession(const QString &path)
{
    const Result<SessionFile> session = SessionFile::read(path);
    if (!session)
        return session.error();
    const QString folder = QFileInfo(path).absolutePath();
    QStringList named;
    for (const SessionFile::File &file : session->files)
        named += file.path;
    if (session->memory && !session->memory->rules.isEmpty())
        named += session->memory->rules;
    for (const QString &file : named)
        if (QFileInfo(file).absolutePath() != folder || !isPackageEntry(QFileInfo(file).fileName()))
            return Error{"The package names a file that is not in it.", toUtf8(QFileInfo(file).fileName()),
                         std::nullopt};
    return {};
}

qint64 bytesIn(const QString &folder)
{
    qint64 bytes = 0;
    for (QDirIterator it(folder, QDir::Files | QDir::Hidden); it.hasNext();) {
        it.next();
        bytes += it.fileInfo().size();
    }
    return bytes;
}

/// The packages are ordered by the time of their sessions, which is when they were opened last.
void tidyCache(const QDir &cache, const QString &spared, qint64 limitBytes)
{
    struct Cached {
        QDateTime used;
        QString folder;
        qint64 bytes;
    };
    std::vector<Cached> packages;
    qint64 total = 0;
    for (const QFileInfo &folder : cache.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const QFileInfo session(QDir(folder.filePath()).filePath(QString::fromLatin1(kPackageSession)));
        packages.push_back({session.lastModified(), folder.filePath(), bytesIn(folder.filePath())});
        total += packages.back().bytes;
    }
    std::ranges::sort(packages, {}, &Cached::used);
    for (const Cached &one : packages)
        if (total > limitBytes && one.folder != spared && QDir(one.folder).removeRecursively())
            total -= one.bytes;
}

} // namespace

Result<SavedPackage> savePackage(const PackageRequest &request, const ImportOptions &options, const Task &task)
{
    if (const auto harmless = OutputFile::spares(request.inputs, toUtf8(request.path)); !harmless)
        return harmless.error();
    return PackageSaving(request, options, task).save();
}

Result<QString> cachePackage(const QString &path, const QString &cache, qint64 limitBytes, const Task &task)
{
    const QDir folder(cache);
    if (cache.isEmpty() || !folder.mkpath(QStringLiteral(".")))
        return Error{"There is no cache folder to unpack the package: set RIFFLE_CACHE or HOME.", toUtf8(cache),
                     std::nullopt};
    QTemporaryDir unpacked(folder.filePath(QStringLiteral("unpacking-XXXXXX")));
    if (!unpacked.isValid())
        return Error{toUtf8(unpacked.errorString()), toUtf8(cache), std::nullopt};
    const Result<QByteArray> hash = unpackPackage(path, unpacked.path(), task);
    if (!hash)
        return hash.error();
    const QString session = QString::fromLatin1(kPackageSession);
    if (const auto good = checkSession(unpacked.filePath(session)); !good)
        return good.error().in(toUtf8(path));
    // A package that was unpacked before stays where it is, so that its stores are used again.
    const QString place = folder.absoluteFilePath(QString::fromLatin1(hash->toHex().left(32)));
    if (!QFileInfo::exists(place) && !QDir().rename(unpacked.path(), place))
        return Error{"The package could not be moved to its place in the cache.", toUtf8(place), std::nullopt};
    const QString opened = QDir(place).filePath(session);
    QFile used(opened);
    if (used.open(QIODevice::ReadWrite))
        used.setFileTime(QDateTime::currentDateTimeUtc(), QFileDevice::FileModificationTime);
    tidyCache(folder, place, limitBytes);
    return opened;
}

} // namespace riffle
