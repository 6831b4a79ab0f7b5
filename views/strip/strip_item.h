// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractButton>
#include <QString>

#include <vector>

namespace riffle {

/// A figure of the strip: what it is, the value in bold, further words, and a small curve. A click leads to the
/// evidence. As a tile, the figure has three lines, and its value is large.
class StripItem : public QAbstractButton {
    Q_OBJECT
public:
    StripItem(const QString &title, QWidget *parent);
    void setFigure(const QString &value, const QString &words = {}, std::vector<double> curve = {});
    /// How much of the figure is shown; less of it for narrow windows.
    enum class Detail { Value, Curve, Words, Tile };
    void setDetail(Detail detail);
    int widthFor(Detail detail) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    void paintLine(QPainter &painter) const;
    void paintTile(QPainter &painter) const;
    void paintCurve(QPainter &painter, QRect room) const;

    QString m_value, m_words;
    std::vector<double> m_curve;
    Detail m_detail = Detail::Words;
};

} // namespace riffle
