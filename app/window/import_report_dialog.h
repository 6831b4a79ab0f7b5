// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/trace/trace_set.h"

#include <QDialog>

namespace riffle {

/// What was odd, mended or lost when the traces were read: kinds with counts, and the first examples of each with the
/// byte where they stand.
class ImportReportDialog : public QDialog {
    Q_OBJECT
public:
    explicit ImportReportDialog(const TraceSet &traces, QWidget *parent = nullptr);
};

/// One sentence for the notice bar; empty when nothing was lost or mended.
QString importSummary(const TraceSet &traces);

} // namespace riffle
