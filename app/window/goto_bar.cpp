// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/goto_bar.h"

#include "model/analysis/summary/step_lookup.h"
#include "views/common/look/qt_text.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>

namespace riffle {

GotoBar::GotoBar(Session *session, QWidget *parent)
    : QFrame(parent)
    , m_session(session)
    , m_text(new QLineEdit(this))
    , m_trouble(new QLabel(this))
{
    m_text->setPlaceholderText(tr("Go to a time (1.5ms), a range (1ms:2ms) or a step (#3)"));
    m_text->setMinimumWidth(340);
    m_text->installEventFilter(this);
    m_trouble->setTextFormat(Qt::PlainText);
    m_trouble->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); // because it can quote a long text
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(6, 3, 6, 3);
    layout->addWidget(new QLabel(tr("Go to"), this));
    layout->addWidget(m_text);
    layout->addWidget(m_trouble, 1);
    connect(m_text, &QLineEdit::returnPressed, this, &GotoBar::go);
    connect(m_text, &QLineEdit::textChanged, m_trouble, &QLabel::clear);
    hide();
}

void GotoBar::activate()
{
    show();
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void GotoBar::go()
{
    const Result<TimeSpan> place = lookUpPlace(m_session->traces(), toUtf8(m_text->text()));
    if (!place) {
        m_trouble->setText(toQString(place.error().message));
        return;
    }
    const TimeSpan visible = m_session->pane()->visibleRange();
    if (place->empty()) {
        const Ns half = visible.duration() / 2;
        m_session->pane()->goTo({place->begin - half, place->begin - half + visible.duration()});
    } else {
        const Ns margin = place->duration() / 20;
        m_session->pane()->goTo({place->begin - margin, place->end + margin});
    }
    dismiss();
}

void GotoBar::dismiss()
{
    hide();
    m_trouble->clear();
    emit closed();
}

bool GotoBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_text && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        dismiss();
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace riffle
