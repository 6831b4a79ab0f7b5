// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/base/time.h"

#include <QDialog>

class QCheckBox;
class QRadioButton;

namespace riffle {

/// Asks what a package contains: which range of the traces, and whether names are replaced by hashes.
class PackageDialog : public QDialog {
    Q_OBJECT
public:
    enum class Range { Visible, Selected, Whole };

    /// `hasTraces` is false if only memory files are open, and `hasArea` if no range is selected.
    PackageDialog(bool hasTraces, bool hasArea, QWidget *parent);

    Range range() const;
    bool hashesNames() const;

private:
    QRadioButton *m_visible, *m_selected, *m_whole;
    QCheckBox *m_hash;
};

} // namespace riffle
