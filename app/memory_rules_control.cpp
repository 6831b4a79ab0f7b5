// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/memory_rules_control.h"

#include "views/common/look/qt_text.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSaveFile>

#include <algorithm>
#include <memory>

namespace riffle {

namespace {

constexpr int kSettleMs = 120;
constexpr int kMostAbsences = 4; ///< checks until a missing file is reported; editors save by replacing the file
constexpr qint64 kMostBytes = 1 << 20;

QString jobKey() { return QStringLiteral("rules"); }

} // namespace

MemoryRulesControl::MemoryRulesControl(MemorySession *memory, Settings *settings, QWidget *window)
    : QObject(window)
    , m_memory(memory)
    , m_settings(settings)
    , m_window(window)
    , m_jobs(this)
{
    m_soon.setSingleShot(true);
    m_soon.setInterval(kSettleMs);
    connect(&m_soon, &QTimer::timeout, this, &MemoryRulesControl::readNow);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &MemoryRulesControl::readSoon);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, &MemoryRulesControl::readSoon);
}

void MemoryRulesControl::addTo(QMenu *menu)
{
    QMenu *rules = menu->addMenu(tr("Category &rules"));
    QAction *inUse = rules->addAction(QString());
    inUse->setEnabled(false);
    rules->addSeparator();
    connect(rules->addAction(tr("&Choose a file…")), &QAction::triggered, this, &MemoryRulesControl::choose);
    connect(rules->addAction(tr("&Write the built-in rules to a file as a starting point…")), &QAction::triggered, this,
            &MemoryRulesControl::writeBuiltIn);
    QAction *edit = rules->addAction(tr("&Open the file in the editor"));
    connect(edit, &QAction::triggered, this, [this] { emit editRequested(m_file, m_line); });
    QAction *back = rules->addAction(tr("&Use the built-in rules again"));
    connect(back, &QAction::triggered, this, [this] { useBuiltIn(); });
    connect(rules, &QMenu::aboutToShow, this, [this, inUse, edit, back] {
        inUse->setText(tr("Categories are guessed with %1").arg(m_memory->rulesName()));
        edit->setEnabled(!m_file.isEmpty());
        back->setEnabled(!m_file.isEmpty() || !m_memory->rulesFile().isEmpty());
    });
}

void MemoryRulesControl::choose()
{
    const QString file = QFileDialog::getOpenFileName(m_window, tr("Choose category rules"), m_file,
                                                      tr("Rules (*.json);;All files (*)"));
    if (!file.isEmpty())
        use(file);
}

void MemoryRulesControl::writeBuiltIn()
{
    QString file = QFileDialog::getSaveFileName(m_window, tr("Write the built-in rules"),
                                                QStringLiteral("memory_rules.json"), tr("Rules (*.json)"));
    if (file.isEmpty())
        return;
    if (QFileInfo(file).suffix().isEmpty())
        file += QStringLiteral(".json");
    if (m_mayWrite && !m_mayWrite(file))
        return;
    const std::string_view text = MemoryRules::builtInText();
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), static_cast<qint64>(text.size())) < 0 ||
        !out.commit()) {
        emit notice(NoticeBar::Level::Problem, tr("%1 could not be written: %2.").arg(file, out.errorString()));
        return;
    }
    use(file);
}

void MemoryRulesControl::use(const QString &file, Remember remember)
{
    forget();
    m_file = QFileInfo(file).absoluteFilePath();
    m_remember = remember == Remember::Yes;
    m_watcher.addPath(QFileInfo(m_file).absolutePath()); // notices when another file replaces this one
    readNow();
}

void MemoryRulesControl::useBuiltIn(Remember remember)
{
    forget();
    m_memory->useBuiltInRules();
    if (remember == Remember::Yes)
        m_settings->setMemoryRulesFile({});
}

/// Stops watching and reading the file.
void MemoryRulesControl::forget()
{
    m_soon.stop();
    m_jobs.cancel(jobKey());
    for (const QStringList &paths : {m_watcher.files(), m_watcher.directories()})
        if (!paths.isEmpty())
            m_watcher.removePaths(paths);
    m_file.clear();
    m_text = {};
    m_line = 1;
    m_absences = 0;
    withdraw();
}

MemoryRulesControl::Read MemoryRulesControl::read(const QString &path)
{
    Read read;
    QFile file(path);
    const QString name = QFileInfo(path).fileName();
    if (const QFileInfo info(path); info.exists() && !info.isFile()) { // opening a pipe could block for ever
        read.trouble = tr("The rules in %1 could not be read: it is not a regular file.").arg(path);
        return read;
    }
    if (!file.open(QIODevice::ReadOnly)) {
        read.missing = !QFileInfo::exists(path);
        read.trouble = tr("The rules in %1 could not be read: %2.")
                           .arg(path, read.missing ? tr("there is no such file") : file.errorString());
        return read;
    }
    read.text = file.read(kMostBytes + 1);
    if (read.text.size() > kMostBytes) {
        read.trouble = tr("%1 is larger than 1 MiB, which is too large for a file of rules.").arg(name);
        return read;
    }
    Result<MemoryRules> rules =
        MemoryRules::parse({read.text.constData(), static_cast<size_t>(read.text.size())}, toUtf8(path));
    if (rules) {
        read.rules = std::move(*rules);
        return read;
    }
    const auto before = read.text.first(static_cast<qsizetype>(
        std::min<uint64_t>(rules.error().offset.value_or(0), static_cast<uint64_t>(read.text.size()))));
    read.line = static_cast<int>(before.count('\n')) + 1;
    read.trouble = tr("%1, line %2: %3").arg(name).arg(read.line).arg(toQString(rules.error().message));
    return read;
}

void MemoryRulesControl::readSoon()
{
    if (!m_file.isEmpty())
        m_soon.start();
}

void MemoryRulesControl::readNow()
{
    // The watcher stops following the path when another file replaces the watched one.
    if (!m_watcher.files().contains(m_file) && QFileInfo::exists(m_file))
        m_watcher.addPath(m_file);
    m_jobs.run(
        jobKey(), [file = m_file](std::stop_token) { return read(file); },
        [this](Read read) { take(std::move(read)); });
}

void MemoryRulesControl::take(Read read)
{
    if (read.missing && !m_text.isEmpty() && ++m_absences < kMostAbsences) {
        m_soon.start();
        return;
    }
    m_absences = 0;
    m_line = read.line;
    if (!read.rules) {
        m_text = {};
        complain(read.trouble + QLatin1Char(' ') +
                 (m_memory->rulesFile().isEmpty() ? tr("The built-in rules stay in use.")
                                                  : tr("The previous rules stay in use.")));
        return;
    }
    withdraw();
    if (m_remember)
        m_settings->setMemoryRulesFile(m_file);
    const bool same = read.text == m_text && m_memory->rulesFile() == m_file;
    m_text = std::move(read.text);
    if (!same)
        m_memory->setRules(std::make_shared<const MemoryRules>(std::move(*read.rules)), m_file);
}

void MemoryRulesControl::complain(const QString &text)
{
    if (text == m_complaint)
        return;
    withdraw();
    m_complaint = text;
    emit notice(NoticeBar::Level::Problem, text);
}

void MemoryRulesControl::complainAgain()
{
    if (!m_complaint.isEmpty())
        emit notice(NoticeBar::Level::Problem, m_complaint);
}

void MemoryRulesControl::withdraw()
{
    if (!m_complaint.isEmpty())
        emit withdrawn(m_complaint);
    m_complaint.clear();
}

} // namespace riffle
