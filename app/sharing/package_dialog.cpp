// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/sharing/package_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QVBoxLayout>

namespace riffle {

PackageDialog::PackageDialog(bool hasTraces, bool hasArea, QWidget *parent)
    : QDialog(parent)
    , m_visible(new QRadioButton(tr("The &visible range of the traces"), this))
    , m_selected(new QRadioButton(tr("The &selected range of the traces"), this))
    , m_whole(new QRadioButton(tr("&All of the traces"), this))
    , m_hash(new QCheckBox(tr("Replace &names by hashes"), this))
{
    setWindowTitle(tr("Save package"));
    auto *what = new QLabel(tr("A package is one file with everything that is needed to see this place elsewhere: the "
                               "traces, the memory snapshots, the marks, the filters and the view. It contains no "
                               "folders or names of this machine."),
                            this);
    what->setWordWrap(true);
    auto *hashed = new QLabel(tr("Kernels, operators, annotations, files and arguments become hashes. Words by which "
                                 "Riffle tells kinds of work, categories and all figures stay. Memory files are left "
                                 "out."),
                              this);
    hashed->setWordWrap(true);
    hashed->setIndent(24);
    hashed->setForegroundRole(QPalette::PlaceholderText);
    m_selected->setEnabled(hasArea);
    (hasArea ? m_selected : m_visible)->setChecked(true);
    for (QWidget *widget : std::initializer_list<QWidget *>{m_visible, m_selected, m_whole, m_hash, hashed})
        widget->setVisible(hasTraces);
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    QPushButton *save = buttons->addButton(tr("Save as…"), QDialogButtonBox::AcceptRole);
    save->setDefault(true);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(8);
    for (QWidget *widget : std::initializer_list<QWidget *>{what, m_visible, m_selected, m_whole, m_hash, hashed})
        layout->addWidget(widget);
    layout->addStretch(1);
    layout->addWidget(buttons);
    setMinimumWidth(460);
}

PackageDialog::Range PackageDialog::range() const
{
    return m_visible->isChecked() ? Range::Visible : m_selected->isChecked() ? Range::Selected : Range::Whole;
}

bool PackageDialog::hashesNames() const { return m_hash->isChecked(); }

} // namespace riffle
