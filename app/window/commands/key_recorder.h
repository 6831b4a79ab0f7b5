// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeySequence>
#include <QLineEdit>

namespace riffle {

/// A box that takes the next key as its value instead of typing it. Esc, Tab and Enter keep their usual meaning.
class KeyRecorder : public QLineEdit {
    Q_OBJECT
public:
    explicit KeyRecorder(QWidget *parent = nullptr);

    const QKeySequence &key() const { return m_key; }
    void setKey(const QKeySequence &key);

signals:
    void recorded();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QKeySequence m_key;
};

} // namespace riffle
