// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QString>

namespace riffle {

/// One finding on the overview: a bar in the colour of its severity, the title as a link to the evidence, what was
/// measured, and a sentence. A click on "Rule" unfolds what the rule says and what may help.
class FindingCard : public QFrame {
    Q_OBJECT
public:
    struct Content {
        QString severity, title, measured, text;
        QString rule, suggestion;
        QString ranks; ///< for which ranks it holds; empty if there is only one
        bool hasEvidence = false;
        bool operator==(const Content &) const = default;
    };
    FindingCard(const Content &content, QWidget *parent);

signals:
    void evidenceRequested();
    void heightChanged();

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QRgb severityColour() const;

    QString m_severity;
};

} // namespace riffle
