// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "app/window/welcome_page.h"

#include "app/session/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <vector>

namespace riffle {

namespace {

constexpr int kWidth = 560;
constexpr size_t kShownRecent = 8;

} // namespace

WelcomePage::WelcomePage(Settings *settings, QWidget *parent)
    : QWidget(parent)
    , m_settings(settings)
    , m_recent(new QVBoxLayout)
{
    auto *column = new QWidget(this);
    column->setFixedWidth(kWidth);
    auto *title = new QLabel(QStringLiteral("Riffle"), column);
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 2.4);
    large.setWeight(QFont::DemiBold);
    title->setFont(large);
    auto *what =
        new QLabel(tr("A viewer for GPU-training traces. Open a trace and navigate with w, s, a and d."), column);
    what->setWordWrap(true);
    auto *open = new QPushButton(tr("Open trace…"), column);
    open->setDefault(true);
    open->setObjectName(QStringLiteral("welcomeOpen"));
    auto *sample = new QPushButton(tr("Open sample"), column);
    sample->setObjectName(QStringLiteral("welcomeSample"));
    for (QPushButton *button : {open, sample})
        button->setMinimumSize(button->sizeHint() + QSize(24, 8));
    auto *buttons = new QHBoxLayout;
    buttons->addWidget(open);
    buttons->addWidget(sample);
    buttons->addStretch(1);
    auto *hint =
        new QLabel(tr("Or drop files here: Chrome trace JSON from PyTorch, JAX and other tools (plain, gzip or zstd), "
                      "or logs of Riffle's collector. Several files open together as the ranks of one run."),
                   column);
    hint->setWordWrap(true);
    hint->setForegroundRole(QPalette::PlaceholderText);

    auto *inner = new QVBoxLayout(column);
    inner->setSpacing(12);
    inner->addWidget(title);
    inner->addWidget(what);
    inner->addLayout(buttons);
    inner->addWidget(hint);
    inner->addSpacing(12);
    m_recent->setSpacing(2);
    inner->addLayout(m_recent);
    auto *outer = new QVBoxLayout(this);
    outer->addStretch(2);
    auto *middle = new QHBoxLayout; // in place of an alignment, which would cut off wrapped lines
    middle->addStretch(1);
    middle->addWidget(column);
    middle->addStretch(1);
    outer->addLayout(middle);
    outer->addStretch(3);

    connect(open, &QPushButton::clicked, this, &WelcomePage::openRequested);
    connect(sample, &QPushButton::clicked, this, &WelcomePage::sampleRequested);
    connect(settings, &Settings::recentSetsChanged, this, &WelcomePage::fillRecent);
    fillRecent();
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
    auto *heading = new QLabel(tr("Recent"), this);
    QFont bold = heading->font();
    bold.setBold(true);
    heading->setFont(bold);
    m_recent->addWidget(heading);
    recent.resize(std::min(recent.size(), kShownRecent));
    for (const RecentSet &set : recent) {
        const QFileInfo info(set.files.front());
        auto *link = new QLabel(this);
        const QString detail = set.missing().isEmpty() ? set.detail() : tr("files are missing");
        const QString folder = fontMetrics().elidedText(
            detail + QStringLiteral(" · ") + QDir::toNativeSeparators(info.absolutePath()), Qt::ElideMiddle, 300);
        const QString name = fontMetrics().elidedText(set.title(), Qt::ElideMiddle, kWidth - 320);
        link->setText(QStringLiteral("<a href=\"open\">%1</a> &nbsp;<span style=\"color:gray\">%2</span>")
                          .arg(name.toHtmlEscaped(), folder.toHtmlEscaped()));
        link->setToolTip(set.files.join(QLatin1Char('\n')));
        link->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
        connect(link, &QLabel::linkActivated, this, [this, files = set.files] { emit setRequested(files); });
        m_recent->addWidget(link);
    }
}

} // namespace riffle
