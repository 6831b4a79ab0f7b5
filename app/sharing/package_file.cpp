// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/package_file.h"

#include "views/common/look/qt_text.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

namespace riffle {

namespace {

constexpr qint64 kBlock = 512, kPiece = 1 << 20;
constexpr int kMostEntries = 10'000;
constexpr qsizetype kLongestName = 99;

/// The places of the fields in the block before a file.
struct Field {
    size_t at, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUser{108, 8}, kGroup{116, 8}, kSize{124, 12}, kTime{136, 12},
    kCheck{148, 8}, kType{156, 1}, kMagic{257, 6}, kVersion{263, 2};
using Block = std::array<char, kBlock>;

qint64 padded(qint64 size) { return (size + kBlock - 1) / kBlock * kBlock; }

/// The sum of the bytes of a block, in which those of the sum count as blanks.
unsigned checkSum(const Block &block)
{
    unsigned sum = 0;
    for (size_t at = 0; at < block.size(); ++at)
        sum += at - kCheck.at < kCheck.size ? ' ' : static_cast<unsigned char>(block[at]);
    return sum;
}

void putOctal(Block &block, Field field, quint64 value)
{
    for (size_t at = field.size - 1; at-- > 0; value /= 8)
        block[field.at + at] = static_cast<char>('0' + value % 8);
}

std::optional<qint64> octalIn(const Block &block, Field field)
{
    const char *begin = block.data() + field.at, *end = begin + field.size;
    while (begin < end && *begin == ' ')
        ++begin;
    qint64 value = 0;
    const auto [after, failed] = std::from_chars(begin, end, value, 8);
    const bool isWhole = after == end || *after == 0 || *after == ' ';
    return failed == std::errc() && isWhole && value >= 0 ? std::optional(value) : std::nullopt;
}

/// The largest size that the field can hold, 8 GiB.
constexpr qint64 kLargestFile = (1ll << 33) - 1;

Error damaged(const QString &path, const char *why)
{
    return {std::string("This is not a package that Riffle can open: ") + why + ".", toUtf8(path), std::nullopt};
}

Error cancelled() { return {"Cancelled.", {}, std::nullopt, ErrorKind::Cancelled}; }

/// Reads a package piece by piece and hashes it on the way.
class PackageReader {
public:
    explicit PackageReader(const QString &path) : m_path(path), m_file(path), m_hash(QCryptographicHash::Sha256) {}

    Result<void> open()
    {
        if (const QFileInfo info(m_path); info.exists() && !info.isFile()) // opening a pipe could block for ever
            return Error{"This is not a regular file.", toUtf8(m_path), std::nullopt};
        if (!m_file.open(QIODevice::ReadOnly))
            return Error{toUtf8(m_file.errorString()), toUtf8(m_path), std::nullopt};
        return {};
    }
    /// Reads exactly `size` bytes; at most kPiece.
    Result<QByteArray> read(qint64 size)
    {
        QByteArray bytes = m_file.read(size);
        if (bytes.size() != size)
            return damaged(m_path, "it ends too early");
        m_hash.addData(bytes);
        return bytes;
    }
    Result<Block> block()
    {
        const Result<QByteArray> bytes = read(kBlock);
        if (!bytes)
            return bytes.error();
        Block block;
        std::memcpy(block.data(), bytes->constData(), block.size());
        return block;
    }
    qint64 left() const { return m_file.size() - m_file.pos(); }
    QByteArray hash() const { return m_hash.result(); }

private:
    QString m_path;
    QFile m_file;
    QCryptographicHash m_hash;
};

Result<void> unpackFile(PackageReader &from, qint64 size, const QString &output, const Task &task)
{
    auto out = OutputFile::create(toUtf8(output), {});
    if (!out)
        return out.error();
    for (qint64 left = padded(size), content = size; left > 0;) {
        if (task.stopped())
            return cancelled();
        const Result<QByteArray> piece = from.read(std::min(left, kPiece));
        if (!piece)
            return piece.error();
        const qint64 used = std::min<qint64>(content, piece->size());
        if (const auto good = (*out)->write({piece->constData(), static_cast<size_t>(used)}); !good)
            return good;
        left -= piece->size();
        content -= used;
        if (task.progress)
            task.progress->bytesDone += static_cast<uint64_t>(piece->size());
    }
    return (*out)->place();
}

} // namespace

bool isNamedLikePackage(const QString &path)
{
    return path.endsWith(QLatin1String(".rifflepack"), Qt::CaseInsensitive);
}

bool isPackageEntry(const QString &name)
{
    const auto isPlain = [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || c == u'-' ||
               c == u'_';
    };
    return !name.isEmpty() && name.size() <= kLongestName && isPlain(name.front()) &&
           std::ranges::all_of(name, [&](QChar c) { return isPlain(c) || c == u'.'; });
}

Result<PackageWriter> PackageWriter::create(const QString &path, const std::vector<std::string> &inputs)
{
    auto out = OutputFile::create(toUtf8(path), inputs);
    if (!out)
        return out.error();
    return PackageWriter(std::move(*out));
}

Result<void> PackageWriter::add(const QString &name, const QString &file, const Task &task)
{
    if (!isPackageEntry(name) || !m_names.insert(name).second)
        return Error{"A package cannot contain a file of this name.", toUtf8(name), std::nullopt};
    QFile in(file);
    if (!in.open(QIODevice::ReadOnly))
        return Error{toUtf8(in.errorString()), toUtf8(file), std::nullopt};
    const qint64 size = in.size();
    if (size > kLargestFile)
        return Error{"The file is larger than 8 GiB, which a package cannot contain.", toUtf8(file), std::nullopt};
    Block head{};
    const QByteArray plain = name.toLatin1();
    std::memcpy(head.data() + kName.at, plain.constData(), static_cast<size_t>(plain.size()));
    putOctal(head, kMode, 0644);
    for (const Field &field : {kUser, kGroup, kTime})
        putOctal(head, field, 0);
    putOctal(head, kSize, static_cast<quint64>(size));
    head[kType.at] = '0';
    std::memcpy(head.data() + kMagic.at, "ustar", 6);
    std::memcpy(head.data() + kVersion.at, "00", 2);
    putOctal(head, kCheck, checkSum(head));
    if (const auto good = m_out->write({head.data(), head.size()}); !good)
        return good;
    qint64 done = 0;
    while (done < size) {
        if (task.stopped())
            return cancelled();
        const QByteArray piece = in.read(std::min(kPiece, size - done));
        if (piece.isEmpty())
            return Error{"The file changed while it was being read.", toUtf8(file), std::nullopt, ErrorKind::Changed};
        if (const auto good = m_out->write({piece.constData(), static_cast<size_t>(piece.size())}); !good)
            return good;
        done += piece.size();
        if (task.progress)
            task.progress->bytesDone += static_cast<uint64_t>(piece.size());
    }
    return m_out->write(std::string(static_cast<size_t>(padded(size) - size), '\0'));
}

Result<void> PackageWriter::place()
{
    if (const auto good = m_out->write(std::string(2 * kBlock, '\0')); !good)
        return good;
    return m_out->place();
}

Result<QByteArray> unpackPackage(const QString &path, const QString &folder, const Task &task)
{
    PackageReader reader(path);
    if (const auto good = reader.open(); !good)
        return good.error();
    if (task.progress)
        task.progress->bytesTotal = static_cast<uint64_t>(reader.left());
    std::set<QString> names;
    while (true) {
        const Result<Block> head = reader.block();
        if (!head)
            return head.error();
        if (std::ranges::all_of(*head, [](char c) { return c == 0; }))
            break;
        const auto sum = octalIn(*head, kCheck), size = octalIn(*head, kSize);
        if (std::memcmp(head->data() + kMagic.at, "ustar", 5) != 0 || sum != checkSum(*head) || !size)
            return damaged(path, names.empty() ? "it is no tar archive" : "the head of a file is damaged");
        const char *text = head->data() + kName.at;
        const QString name = QString::fromLatin1(text, static_cast<qsizetype>(strnlen(text, kName.size)));
        const char type = (*head)[kType.at];
        if ((type != '0' && type != 0) || !isPackageEntry(name))
            return damaged(path, "it contains something else than plain files");
        if (names.empty() && name != QLatin1String(kPackageSession))
            return damaged(path, "it does not start with a session");
        if (!names.insert(name).second)
            return damaged(path, "it contains two files of the same name");
        if (names.size() > kMostEntries)
            return damaged(path, "it contains too many files");
        if (*size > reader.left())
            return damaged(path, "it ends too early");
        if (const auto good = unpackFile(reader, *size, QDir(folder).filePath(name), task); !good)
            return good.error();
    }
    if (names.empty())
        return damaged(path, "it is empty");
    return reader.hash();
}

} // namespace riffle
