// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/editor_launcher.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QFileInfo>
#include <QProcess>
#include <QUrl>

namespace riffle {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(riffle::EditorLauncher)
};

} // namespace

QString mappedPath(const QString &recorded, const Settings::PathMap &map)
{
    const std::pair<QString, QString> *best = nullptr;
    for (const auto &entry : map) {
        if (recorded.startsWith(entry.first) && (!best || entry.first.size() > best->first.size()))
            best = &entry;
    }
    return best ? best->second + recorded.mid(best->first.size()) : recorded;
}

std::optional<EditorCommand> editorCommand(const QString &pattern, const QString &file, int line)
{
    QStringList parts = QProcess::splitCommand(pattern);
    if (parts.isEmpty())
        return std::nullopt;
    bool named = false;
    for (QString &part : parts) {
        QString filled;
        for (qsizetype i = 0; i < part.size(); ++i) {
            const QChar next = part[i] == QLatin1Char('%') && i + 1 < part.size() ? part[i + 1] : QChar();
            if (next == QLatin1Char('f')) {
                filled += file;
                named = true;
            } else if (next == QLatin1Char('l')) {
                filled += QString::number(line);
            } else if (next == QLatin1Char('%')) {
                filled += next;
            } else {
                filled += part[i];
                continue;
            }
            ++i;
        }
        part = filled;
    }
    if (!named)
        parts += file;
    return EditorCommand{parts.first(), parts.mid(1)};
}

QString openInEditor(const Settings &settings, const QString &recorded, int line)
{
    const QString file = mappedPath(recorded, settings.pathMap());
    if (!QFileInfo::exists(file))
        return Words::tr("%1 is not on this machine. Add a path mapping in the preferences to say where the code is.")
            .arg(file);
    if (const auto command = editorCommand(settings.editorCommand(), file, line)) {
        if (!QProcess::startDetached(command->program, command->arguments))
            return Words::tr("The editor '%1' could not be started.").arg(command->program);
        return {};
    }
    return QDesktopServices::openUrl(QUrl::fromLocalFile(file)) ? QString()
                                                                : Words::tr("%1 could not be opened.").arg(file);
}

} // namespace riffle
