// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QList>
#include <QString>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QPlainTextEdit;

namespace riffle {

class Settings;

/// Lets the user choose the theme, the editor, the path mapping, and the limits for the stores and for imports.
class PreferencesDialog : public QDialog {
    Q_OBJECT
public:
    explicit PreferencesDialog(Settings *settings, QWidget *parent = nullptr);

    struct Row {
        QString title;
        QWidget *field;
        QCheckBox *box; ///< the field if it is a check box; otherwise null
    };
    QList<Row> rows() const;
    void save();

private:
    Settings *m_settings;
    QComboBox *m_theme;
    QCheckBox *m_patterns;
    QLineEdit *m_editor;
    QPlainTextEdit *m_paths;
    QCheckBox *m_store;
    QDoubleSpinBox *m_storeLimit;
    QDoubleSpinBox *m_memoryLimit;
    QCheckBox *m_part;
};

} // namespace riffle
