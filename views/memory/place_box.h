// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>

namespace riffle {

class MemorySession;

/// The devices of all open snapshots, named by their files where there are several: the chosen one is looked at.
class PlaceBox : public QComboBox {
public:
    explicit PlaceBox(MemorySession *memory, QWidget *parent = nullptr);
    /// Shows what is open now and which place is looked at; tells nobody.
    void refresh();

private:
    MemorySession *m_memory;
};

} // namespace riffle
