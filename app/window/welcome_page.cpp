// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/welcome_page.h"

#include "app/session/settings.h"
#include "app/window/commands/key_guide.h"
#include "app/window/samples.h"

#include <QDir>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

constexpr int kWidth = 430; ///< of the left column, in logical pixels
constexpr size_t kShownRecent = 8;

QLabel *headingOf(const QString &text, QWidget *parent)
{
    auto *heading = new QLabel(text, parent);
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    return heading;
}

} // namespace

WelcomePage::WelcomePage(Settings *settings, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_recent(new QVBoxLayout)
{
    auto *title = new QLabel(QStringLiteral("Riffle"), this);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 2.4);
    large.setWeight(QFont::DemiBold);
    title->setFont(large);
    auto *what = new QLabel(tr("A viewer for traces and memory of GPU training."), this);
    auto *columns = new QHBoxLayout;
    columns->setSpacing(48);
    columns->addLayout(makeOpening());
    columns->addLayout(makeFirstSteps());
    auto *inner = new QVBoxLayout;
    inner->setSpacing(12);
    inner->addWidget(title);
    inner->addWidget(what);
    inner->addSpacing(8);
    inner->addLayout(columns);
    auto *outer = new QVBoxLayout(this);
    outer->addStretch(2);
    auto *middle = new QHBoxLayout; // in place of an alignment, which would cut off wrapped lines
    middle->addStretch(1);
    middle->addLayout(inner);
    middle->addStretch(1);
    outer->addLayout(middle);
    outer->addStretch(3);
    connect(settings, &Settings::recentSetsChanged, this, &WelcomePage::fillRecent);
    fillRecent();
}

/// The left column.
QVBoxLayout *WelcomePage::makeOpening()
{
    auto *open = new QPushButton(tr("Open files…"), this);
    open->setDefault(true);
    open->setObjectName(QStringLiteral("welcomeOpen"));
    auto *tour = new QPushButton(tr("Take the tour"), this);
    tour->setObjectName(QStringLiteral("welcomeTour"));
    auto *buttons = new QHBoxLayout;
    for (QPushButton *button : {open, tour}) {
        button->setMinimumSize(button->sizeHint() + QSize(24, 8));
        buttons->addWidget(button);
    }
    buttons->addStretch(1);
    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(tour, &QPushButton::clicked, this, &WelcomePage::tourRequested);
    auto *hint =
        new QLabel(tr("Or drop files here: traces from PyTorch, JAX and other tools (Chrome JSON or Perfetto, also "
                      "compressed), memory snapshots, logs of Riffle's collector and packages. Several files open "
                      "together as the ranks of one run."),
                   this);
    hint->setWordWrap(true);
    hint->setFixedWidth(kWidth);
    hint->setForegroundRole(QPalette::PlaceholderText);
    auto *column = new QVBoxLayout;
    column->setSpacing(12);
    column->addLayout(buttons);
    column->addWidget(hint);
    m_recent->setSpacing(2);
    column->addLayout(m_recent);
    column->addStretch(1);
    return column;
}

/// The right column.
QVBoxLayout *WelcomePage::makeFirstSteps()
{
    auto *column = new QVBoxLayout;
    column->setSpacing(4);
    column->addWidget(headingOf(tr("Samples"), this));
    auto *grid = new QGridLayout;
    grid->setHorizontalSpacing(14);
    for (size_t at = 0; at < samples().size(); ++at) {
        const Sample &sample = samples()[at];
        auto *button = new QPushButton(sampleText(sample.title), this);
        button->setObjectName(at == 0 ? QStringLiteral("welcomeSample") : QStringLiteral("welcomeSample%1").arg(at));
        button->setToolTip(sampleText(sample.what));
        auto *says = new QLabel(sampleText(sample.what), this);
        says->setForegroundRole(QPalette::PlaceholderText);
        grid->addWidget(button, static_cast<int>(at), 0);
        grid->addWidget(says, static_cast<int>(at), 1);
        connect(button, &QPushButton::clicked, this, [this, at] { emit sampleRequested(static_cast<int>(at)); });
    }
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    column->addSpacing(12);
    column->addWidget(headingOf(tr("Keys"), this));
    auto *keys = new QGridLayout;
    keys->setHorizontalSpacing(14);
    int row = 0;
    for (const auto &[key, says] : usefulKeys()) {
        auto *name = new QLabel(key, this);
        QFont bold = name->font();
        bold.setBold(true);
        name->setFont(bold);
        keys->addWidget(name, row, 0);
        keys->addWidget(new QLabel(says, this), row++, 1);
    }
    keys->setColumnStretch(1, 1);
    column->addLayout(keys);
    column->addStretch(1);
    return column;
}

void WelcomePage::fillRecent()
{
    while (QLayoutItem *item = m_recent->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    std::vector<RecentSet> recent = m_settings->recentSets();
    if (recent.empty())
        return;
    m_recent->addWidget(headingOf(tr("Recent"), this));
    recent.resize(std::min(recent.size(), kShownRecent));
    for (const RecentSet &set : recent) {
        const QFileInfo info(set.files.front());
        auto *link = new QLabel(this);
        const QString detail = set.missing().isEmpty() ? set.detail() : tr("files are missing");
        const QString folder =
            fontMetrics().elidedText(detail + QStringLiteral(" · ") + QDir::toNativeSeparators(info.absolutePath()),
                                     Qt::ElideMiddle, kWidth / 2);
        const QString name = fontMetrics().elidedText(set.title(), Qt::ElideMiddle, kWidth / 2 - 20);
        link->setText(QStringLiteral("<a href=\"open\">%1</a> &nbsp;<span style=\"color:gray\">%2</span>")
                          .arg(name.toHtmlEscaped(), folder.toHtmlEscaped()));
        link->setToolTip(set.files.join(QLatin1Char('\n')));
        link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(link, &QLabel::linkActivated, this, [this, files = set.files] { emit setRequested(files); });
        m_recent->addWidget(link);
    }
}

} // namespace riffle
