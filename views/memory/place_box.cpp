// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/place_box.h"

#include "model/analysis/memory/memory_info.h"
#include "model/analysis/memory/snapshot_facts.h"
#include "views/common/look/qt_text.h"
#include "views/common/memory/memory_session.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPoint>
#include <QSignalBlocker>

namespace riffle {

PlaceBox::PlaceBox(MemorySession *memory, QWidget *parent) : QComboBox(parent), m_memory(memory)
{
    setSizeAdjustPolicy(QComboBox::AdjustToContents);
    setToolTip(QCoreApplication::translate("riffle::PlaceBox", "The snapshot and the device to show"));
    connect(this, &QComboBox::activated, this, [this](int index) {
        const QPoint at = itemData(index).toPoint();
        m_memory->setPlace({static_cast<size_t>(at.x()), static_cast<size_t>(at.y())});
    });
}

void PlaceBox::refresh()
{
    const QSignalBlocker blocker(this);
    clear();
    const auto &snapshots = m_memory->snapshots();
    for (size_t snapshot = 0; snapshot < snapshots.size(); ++snapshot) {
        const auto &devices = snapshots[snapshot]->replay().devices;
        const QString file = QFileInfo(toQString(snapshots[snapshot]->snapshot().path)).fileName();
        for (size_t device = 0; device < devices.size(); ++device) {
            QString name = toQString(memoryDeviceName(devices[device]));
            if (snapshots.size() > 1)
                name = fontMetrics().elidedText(file, Qt::ElideMiddle, 220) + QStringLiteral(" · ") + name;
            addItem(name, QPoint(static_cast<int>(snapshot), static_cast<int>(device)));
        }
    }
    const MemorySession::At at = m_memory->place();
    setCurrentIndex(findData(QPoint(static_cast<int>(at.snapshot), static_cast<int>(at.device))));
}

} // namespace riffle
