// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/samples.h"

#include "views/common/look/qt_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSaveFile>

namespace riffle {

namespace {

constexpr Sample kSamples[]{
    {"sample", QT_TRANSLATE_NOOP("riffle::Samples", "Two ranks"),
     QT_TRANSLATE_NOOP("riffle::Samples", "a training run whose ranks wait for each other"), nullptr},
    {"sample-memory", QT_TRANSLATE_NOOP("riffle::Samples", "Out of memory"),
     QT_TRANSLATE_NOOP("riffle::Samples", "a memory snapshot of a run that failed"), nullptr},
    {"sample-log", QT_TRANSLATE_NOOP("riffle::Samples", "Recorder's log"),
     QT_TRANSLATE_NOOP("riffle::Samples", "what Riffle's collector writes during a run"),
     "generated_rank0_4336.rifflelog"},
};

} // namespace

std::span<const Sample> samples() { return kSamples; }

QString sampleText(const char *text) { return QCoreApplication::translate("riffle::Samples", text); }

Result<QStringList> unpackSample(const Sample &sample, const QString &folder)
{
    const QDir inside(QStringLiteral(":/") + QLatin1String(sample.id));
    const QDir outside(sample.log ? QDir(folder).filePath(QString::fromLatin1(sample.log)) : folder);
    QStringList paths;
    for (const QString &name : inside.entryList(QDir::Files, QDir::Name)) {
        const QString path = outside.filePath(name);
        QFile from(inside.filePath(name));
        QSaveFile to(path);
        const bool isThere = QFileInfo(path).size() == from.size();
        if (!isThere && (!outside.mkpath(QStringLiteral(".")) || !from.open(QIODevice::ReadOnly) ||
                         !to.open(QIODevice::WriteOnly) || to.write(from.readAll()) < 0 || !to.commit()))
            return Error{"The sample could not be unpacked: " + toUtf8(to.errorString()) + ".", toUtf8(path),
                         std::nullopt};
        paths += path;
    }
    return sample.log ? QStringList{outside.path()} : paths;
}

} // namespace riffle
