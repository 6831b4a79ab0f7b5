// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <QDialog>

namespace riffle {

/// Shows the import reports of the traces: the kinds of problems with their counts, and the first examples of each kind
/// with their byte offsets.
class ImportReportDialog : public QDialog {
    Q_OBJECT
public:
    explicit ImportReportDialog(const TraceSet &traces, QWidget *parent = nullptr);
};

/// A sentence for the notice bar; empty if nothing was lost or repaired.
QString importSummary(const TraceSet &traces);

} // namespace riffle
