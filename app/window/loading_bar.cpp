// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/loading_bar.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include <algorithm>

namespace riffle {

LoadingBar::LoadingBar(QWidget *parent) : QFrame(parent), m_text(new QLabel(this)), m_bar(new QProgressBar(this))
{
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setFixedWidth(220);
    m_bar->setMaximumHeight(12);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto *cancel = new QPushButton(tr("Cancel"), this);
    cancel->setObjectName(QStringLiteral("cancelLoading"));
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_bar);
    layout->addWidget(cancel);
    connect(cancel, &QPushButton::clicked, this, &LoadingBar::cancelRequested);
    hide();
}

void LoadingBar::showStatus(const LoadStatus &status)
{
    const auto bytes = [](quint64 count) { return toQString(formatBytes(static_cast<int64_t>(count))); };
    QString text = status.writing ? tr("Writing %1") : status.sealing ? tr("Sorting %1") : tr("Reading %1");
    text = text.arg(QFileInfo(status.file).fileName());
    if (status.others > 0)
        text += tr(" and %1 more").arg(status.others);
    if (status.count > 1)
        text += tr(" (%1 of %2)").arg(status.number).arg(status.count);
    if (status.bytesTotal > 0)
        text += tr(" · %1 of %2").arg(bytes(status.bytesDone), bytes(status.bytesTotal));
    else if (status.bytesDone > 0)
        text += tr(" · %1").arg(bytes(status.bytesDone));
    if (status.bytesPerSecond > 0)
        text += tr(" · %1/s").arg(bytes(static_cast<quint64>(status.bytesPerSecond)));
    m_text->setText(text);
    if (status.bytesTotal == 0) {
        m_bar->setRange(0, 0);
    } else {
        const double share = static_cast<double>(status.bytesDone) / static_cast<double>(status.bytesTotal);
        m_bar->setRange(0, 1000);
        m_bar->setValue(static_cast<int>(1000 * std::min(share, 1.0)));
    }
    setVisible(true);
}

QString LoadingBar::text() const { return m_text->text(); }

} // namespace riffle
