// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>

namespace riffle {

class MemorySession;

/// A box with the devices of all open snapshots, named after their files if there are several. It sets the current
/// place.
class PlaceBox : public QComboBox {
public:
    explicit PlaceBox(MemorySession *memory, QWidget *parent = nullptr);
    /// Shows what is open now and the current place, without emitting signals.
    void refresh();

private:
    MemorySession *m_memory;
};

} // namespace riffle
