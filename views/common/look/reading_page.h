// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <QScrollBar>
#include <QTextBrowser>

namespace riffle {

/// A page of text that can be read and copied with the keyboard; its links are signals. The page keys scroll it:
/// QTextEdit's own would look for a line one page away by moving the cursor, and in some tables it comes to no end.
class ReadingPage : public QTextBrowser {
public:
    explicit ReadingPage(QWidget *parent) : QTextBrowser(parent)
    {
        setOpenLinks(false);
        setFrameShape(QFrame::NoFrame);
        setTextInteractionFlags(Qt::TextBrowserInteraction | Qt::TextSelectableByKeyboard);
    }

protected:
    void keyPressEvent(QKeyEvent *event) override
    {
        const bool isDown = event->key() == Qt::Key_PageDown;
        if (!isDown && event->key() != Qt::Key_PageUp)
            return QTextBrowser::keyPressEvent(event);
        verticalScrollBar()->triggerAction(isDown ? QAbstractSlider::SliderPageStepAdd
                                                  : QAbstractSlider::SliderPageStepSub);
    }
};

} // namespace riffle
