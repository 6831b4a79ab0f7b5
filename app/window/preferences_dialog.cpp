// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/preferences_dialog.h"

#include "app/session/settings.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>

namespace riffle {

namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

QDoubleSpinBox *gibibytes(qint64 bytes, double least, double most, QWidget *parent)
{
    auto *box = new QDoubleSpinBox(parent);
    box->setRange(least, most);
    box->setDecimals(1);
    box->setSuffix(QStringLiteral("\u00a0GiB"));
    box->setValue(static_cast<double>(bytes) / kGiB);
    return box;
}

QString pathText(const Settings::PathMap &map)
{
    QString text;
    for (const auto &[from, to] : map)
        text += from + QStringLiteral(" = ") + to + QLatin1Char('\n');
    return text;
}

Settings::PathMap pathMapOf(const QString &text)
{
    Settings::PathMap map;
    for (const QString &line : text.split(QLatin1Char('\n'))) {
        const qsizetype at = line.indexOf(QLatin1Char('='));
        if (at > 0 && !line.left(at).trimmed().isEmpty())
            map.emplace_back(line.left(at).trimmed(), line.mid(at + 1).trimmed());
    }
    return map;
}

} // namespace

PreferencesDialog::PreferencesDialog(Settings *settings, QWidget *parent)
    : QDialog(parent)
    , m_settings(settings)
    , m_theme(new QComboBox(this))
    , m_patterns(new QCheckBox(tr("Patterns in lanes and charts, which also tell their colours apart"), this))
    , m_editor(new QLineEdit(this))
    , m_paths(new QPlainTextEdit(this))
    , m_store(new QCheckBox(tr("Cache opened files so that they open faster next time"), this))
    , m_storeLimit(gibibytes(settings->storeLimitBytes(), 0.1, 10000, this))
    , m_memoryLimit(gibibytes(settings->memoryLimitBytes(), 0.1, 10000, this))
    , m_part(new QCheckBox(tr("Ask which part to read before large files are opened"), this))
{
    setWindowTitle(tr("Preferences"));
    m_theme->addItems({tr("Same as the desktop"), tr("Light"), tr("Dark")});
    const auto theme = settings->theme();
    m_theme->setCurrentIndex(!theme ? 0 : *theme == ThemeKind::Light ? 1 : 2);
    m_patterns->setObjectName(QStringLiteral("chartPatterns"));
    m_patterns->setChecked(settings->chartPatterns());
    m_editor->setText(settings->editorCommand());
    m_editor->setPlaceholderText(QStringLiteral("code -g %f:%l"));
    m_editor->setToolTip(
        tr("%f stands for the file and %l for the line. Leave empty to use the desktop's default program."));
    m_paths->setPlainText(pathText(settings->pathMap()));
    m_paths->setPlaceholderText(tr("/path/in/the/trace = /path/on/this/machine"));
    m_paths->setToolTip(tr("One mapping per line. Replaces the start of a path that was recorded on another machine."));
    m_paths->setMaximumHeight(90);
    m_store->setChecked(settings->storeEnabled());
    m_storeLimit->setEnabled(m_store->isChecked());
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    auto *form = new QFormLayout(this);
    form->addRow(tr("Theme"), m_theme);
    form->addRow(QString(), m_patterns);
    form->addRow(tr("Editor"), m_editor);
    form->addRow(tr("Path mapping"), m_paths);
    form->addRow(QString(), m_store);
    form->addRow(tr("Cache limit"), m_storeLimit);
    m_memoryLimit->setToolTip(
        tr("For all open files together. Beyond it, files that are being read use a temporary file, "
           "and the traces that you looked at least recently are unloaded until you look at them "
           "again."));
    form->addRow(tr("Memory limit"), m_memoryLimit);
    m_part->setObjectName(QStringLiteral("askForPart"));
    m_part->setToolTip(tr("Files above 1 GiB that have no cached copy yet"));
    m_part->setChecked(settings->partLimitBytes() > 0);
    form->addRow(QString(), m_part);
    form->addRow(buttons);
    connect(m_store, &QCheckBox::toggled, m_storeLimit, &QWidget::setEnabled);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        save();
        accept();
    });
    resize(520, sizeHint().height());
}

QList<PreferencesDialog::Row> PreferencesDialog::rows() const
{
    const auto *form = static_cast<const QFormLayout *>(layout());
    QList<Row> rows;
    for (int at = 0; at < form->rowCount(); ++at) {
        const QLayoutItem *name = form->itemAt(at, QFormLayout::LabelRole);
        QWidget *field = form->itemAt(at, QFormLayout::FieldRole)->widget();
        const auto *label = name ? qobject_cast<const QLabel *>(name->widget()) : nullptr;
        auto *box = qobject_cast<QCheckBox *>(field);
        if (box)
            rows += {box->text(), box, box};
        else if (label && !label->text().isEmpty())
            rows += {label->text(), field, nullptr};
    }
    return rows;
}

void PreferencesDialog::save()
{
    m_settings->setChartPatterns(m_patterns->isChecked());
    m_settings->setEditorCommand(m_editor->text().trimmed());
    m_settings->setPathMap(pathMapOf(m_paths->toPlainText()));
    m_settings->setStoreEnabled(m_store->isChecked());
    m_settings->setStoreLimitBytes(static_cast<qint64>(m_storeLimit->value() * kGiB));
    m_settings->setMemoryLimitBytes(static_cast<qint64>(m_memoryLimit->value() * kGiB));
    if (m_part->isChecked() != (m_settings->partLimitBytes() > 0))
        m_settings->setPartLimitBytes(m_part->isChecked() ? Settings::kPartLimitBytes : 0);
    const int theme = m_theme->currentIndex();
    m_settings->setTheme(theme == 0 ? std::nullopt : std::optional(theme == 1 ? ThemeKind::Light : ThemeKind::Dark));
}

} // namespace riffle
