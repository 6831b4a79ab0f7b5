// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/memory/log/log_view.h"

#include "model/analysis/memory/log/log_tables.h"
#include "model/analysis/memory/timeline_tables.h"
#include "model/base/format.h"
#include "model/base/ids.h"
#include "views/common/chart/sunburst_chart.h"
#include "views/common/look/qt_text.h"
#include "views/common/session/empty_notice.h"
#include "views/memory/log/log_tree_model.h"

#include <QComboBox>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <utility>

namespace riffle {

namespace {

constexpr int kAroundNumbers = 16; ///< pixels beside a number

QComboBox *box(QWidget *parent, const QString &toolTip)
{
    auto *made = new QComboBox(parent);
    made->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    made->setToolTip(toolTip);
    return made;
}

/// Sizes of a log are written as it prints them, in MB; other sizes in bytes.
QString sizeText(int64_t value, bool isOfLog)
{
    if (isOfLog)
        return toQString(printedText(value)) + QStringLiteral("\u00a0MB");
    return exactBytesText(value);
}

} // namespace

LogView::LogView(MemoryFiles *files, QWidget *parent)
    : QWidget(parent)
    , m_files(files)
    , m_file(box(this, tr("The file to show")))
    , m_rank(box(this, tr("The rank to show")))
    , m_other(box(
          this,
          tr("The rank to compare with: at the point with the same number if both ranks have the same points, "
             "otherwise at "
             "the nearest point in time. Nodes with more memory are orange and nodes with less are blue; the stronger "
             "the colour, the larger the difference.")))
    , m_subject(box(this, tr("The chosen point, or a page with a sunburst that the profiler wrote")))
    , m_remarks(new QLabel(this))
    , m_pages(new QStackedWidget(this))
    , m_curves(new MemoryCurvesView(this))
    , m_sunburst(new SunburstChart(this))
    , m_otherSunburst(new SunburstChart(this))
    , m_tree(new QTreeView(this))
    , m_rows(new LogTreeModel(this))
    , m_picture(new QLabel(this))
    , m_empty(new EmptyNotice(this))
    , m_answer(std::make_shared<const LogAnswer>())
{
    m_remarks->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_tree->setAccessibleName(tr("Layers"));
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setModel(m_rows);
    m_tree->header()->setSortIndicator(-1, Qt::DescendingOrder);
    m_tree->header()->setSortIndicatorClearable(true);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setTextElideMode(Qt::ElideRight);
    m_tree->setSortingEnabled(true);
    m_picture->setAlignment(Qt::AlignCenter);
    m_picture->setMinimumSize(50, 50);
    m_picture->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
    m_picture->setScaledContents(false);
    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(6, 3, 6, 3);
    for (QComboBox *one : {m_file, m_rank, m_other, m_subject})
        bar->addWidget(one);
    bar->addSpacing(6);
    bar->addWidget(m_remarks, 1);
    auto *below = new QSplitter(Qt::Horizontal, this);
    below->setChildrenCollapsible(false);
    for (QWidget *one : std::initializer_list<QWidget *>{m_sunburst, m_otherSunburst, m_tree})
        below->addWidget(one);
    below->setSizes({380, 380, 600});
    auto *numbers = new QSplitter(Qt::Vertical, m_pages);
    numbers->setChildrenCollapsible(false);
    numbers->addWidget(m_curves);
    numbers->addWidget(below);
    numbers->setSizes({200, 400});
    m_pages->addWidget(numbers);
    m_pages->addWidget(m_picture);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_pages, 1);
    setFocusProxy(m_curves);

    connect(files, &MemoryFiles::changed, this, &LogView::showFiles);
    connect(files, &MemoryFiles::loadingChanged, this, &LogView::explainEmptiness);
    connect(m_empty, &EmptyNotice::helpWanted, files, &MemoryFiles::openRequested);
    m_empty->coverParent();
    connect(m_file, &QComboBox::currentIndexChanged, this, &LogView::showFile);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &LogView::showRank);
    connect(m_other, &QComboBox::currentIndexChanged, this, [this] { ask(false); });
    connect(m_subject, &QComboBox::currentIndexChanged, this, [this] { ask(false); });
    connect(m_curves, &MemoryCurvesView::pointChanged, this, [this] { ask(false); });
    connect(m_sunburst, &SunburstChart::currentChanged, this, &LogView::goTo);
    connect(m_otherSunburst, &SunburstChart::currentChanged, this, [this](uint node) {
        const auto found = std::find(m_answer->same.begin(), m_answer->same.end(), node);
        if (node != kNoRow && found != m_answer->same.end())
            goTo(static_cast<uint32_t>(found - m_answer->same.begin()));
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex &index) { goTo(m_rows->nodeOf(index)); });
    connect(m_sunburst, &SunburstChart::exportRequested, this, &LogView::fileExportRequested);
    connect(m_otherSunburst, &SunburstChart::exportRequested, this, &LogView::fileExportRequested);
    showFiles();
}

QString LogView::remarks() const { return m_remarks->toolTip(); }

const MemoryFiles::File *LogView::file() const
{
    const int index = m_file->currentIndex();
    return index >= 0 && static_cast<size_t>(index) < m_files->files().size()
               ? &m_files->files()[static_cast<size_t>(index)]
               : nullptr;
}

const MemoryLogRank *LogView::rank() const
{
    const MemoryFiles::File *open = file();
    const int index = m_rank->currentIndex();
    return open && open->log && index >= 0 && static_cast<size_t>(index) < open->log->ranks.size()
               ? &open->log->ranks[static_cast<size_t>(index)]
               : nullptr;
}

void LogView::explainEmptiness()
{
    EmptyFacts known;
    known.open = false;
    known.shows = "memory timeline or memory log";
    known.loading = m_files->loading().toStdString();
    m_empty->say(m_files->empty() ? emptyState(known) : EmptyState());
}

void LogView::showFiles()
{
    {
        const QSignalBlocker blocker(m_file);
        m_file->clear();
        for (const MemoryFiles::File &open : m_files->files())
            m_file->addItem(QFileInfo(toQString(open.log ? open.log->path : open.timeline->path)).fileName());
    }
    m_file->setVisible(m_files->files().size() > 1);
    explainEmptiness();
    showFile();
}

void LogView::showFile()
{
    const MemoryFiles::File *open = file();
    const bool isLog = open && open->log;
    {
        const QSignalBlocker ofRank(m_rank), ofOther(m_other);
        m_rank->clear();
        m_other->clear();
        m_other->addItem(tr("No comparison"));
        for (size_t rank = 0; isLog && rank < open->log->ranks.size(); ++rank) {
            m_rank->addItem(toQString(open->log->ranks[rank].name()));
            m_other->addItem(tr("Compare with %1").arg(toQString(open->log->ranks[rank].name())));
        }
    }
    m_rank->setVisible(isLog);
    m_other->setVisible(isLog && open->log->ranks.size() > 1);
    QStringList remarks;
    if (open)
        for (const std::string &remark : isLog ? logRemarks(*open->log) : timelineRemarks(*open->timeline))
            remarks += toQString(remark);
    m_remarks->setText(remarks.join(QLatin1Char(' ')));
    m_remarks->setToolTip(remarks.join(QLatin1Char('\n')));
    const bool isPicture = open && !isLog && open->timeline->form == MemoryTimeline::Form::Picture;
    m_pages->setCurrentIndex(isPicture ? 1 : 0);
    if (isPicture) {
        const std::string &bytes = open->timeline->picture;
        m_whole = QPixmap::fromImage(QImage::fromData(reinterpret_cast<const uchar *>(bytes.data()),
                                                      static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX))));
        showPicture();
        m_picture->setAccessibleName(tr("The picture in the page"));
    }
    showRank();
}

void LogView::showPicture()
{
    const QSize room = m_pages->size().boundedTo(m_whole.size());
    m_picture->setPixmap(m_whole.isNull() || room.isEmpty()
                             ? m_whole
                             : m_whole.scaled(room, Qt::KeepAspectRatio, Qt::SmoothTransformation));
}

void LogView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    layout()->activate(); // gives the pages their new size
    if (!m_whole.isNull())
        showPicture();
}

void LogView::showRank()
{
    const QSignalBlocker blocker(m_subject);
    m_subject->clear();
    const MemoryLogRank *shown = rank();
    m_subject->addItem(tr("The chosen point"), LogQuestion::kAtPoint);
    for (size_t page = 0; shown && page < shown->pages.size(); ++page)
        if (!shown->pages[page].damage)
            m_subject->addItem(toQString(shown->pages[page].title), static_cast<int>(page));
    m_subject->setVisible(m_subject->count() > 1);
    if (shown && shown->points.empty() && m_subject->count() > 1)
        m_subject->setCurrentIndex(1);
    ask(true);
}

bool LogView::isLog() const
{
    const MemoryFiles::File *open = file();
    return open && open->log;
}

/// The text for the whole tree: first the value that the file prints, then the sum of the parts if it differs.
QString LogView::wholeText(int64_t printed, int64_t sum) const
{
    if (printed == sum)
        return sizeText(printed, isLog());
    const QString parts = tr("sum of parts %1").arg(sizeText(sum, isLog()));
    return printed == kNotPrinted ? parts : QStringLiteral("%1 (%2)").arg(sizeText(printed, isLog()), parts);
}

void LogView::ask(bool withCurves)
{
    const QString key = QStringLiteral("log");
    const MemoryFiles::File *open = file();
    if (!open || (open->log && !rank())) {
        m_jobs.cancel(key);
        m_curves->setCurves(nullptr, nullptr);
        take({}, 0);
        return;
    }
    m_curvesWanted = m_curvesWanted || withCurves;
    LogQuestion question{*open,
                         static_cast<uint32_t>(std::max(0, m_rank->currentIndex())),
                         m_curves->point(),
                         std::nullopt,
                         m_subject->currentData().toInt(),
                         m_curvesWanted};
    // A new rank or file is first shown where its memory is largest.
    if (m_curvesWanted)
        question.point = open->log ? rank()->peak() : open->timeline->peak();
    if (question.point == MemoryCurvesView::kNone)
        question.point = 0;
    if (const int other = m_other->currentIndex(); open->log && other > 0)
        question.other = static_cast<uint32_t>(other - 1);
    m_jobs.run(
        key, [question](std::stop_token) { return answerTo(question); },
        [this, point = question.point](LogAnswer answer) { take(std::move(answer), point); });
}

/// Shows an answer. If its nodes are in the same places as before, the root and the current node stay.
void LogView::take(LogAnswer made, uint32_t point)
{
    const QScopedValueRollback following(m_following, true);
    const auto before = std::exchange(m_answer, std::make_shared<const LogAnswer>(std::move(made)));
    const auto text = [isOfLog = isLog()](int64_t value) {
        return sizeText(value, isOfLog);
    }; // isOfLog is a copy, because the charts may call this until they are destroyed
    if (m_answer->curves) {
        const QSignalBlocker blocker(m_curves);
        m_curvesWanted = false;
        m_curves->setCurves(m_answer->curves, text);
        m_curves->setPoint(point);
    }
    const auto show = [&](SunburstChart *chart, const LogTree &tree, const LogTree &old, const QString &title,
                          const std::vector<double> &differences) {
        const bool stays = sameNodesStand(tree, old);
        const uint32_t root = chart->root(), current = chart->current();
        chart->setTree(IcicleTree(tree.values, tree.depth), tree.names, title, text);
        chart->setWhole(wholeText(tree.total, chart->tree().total()));
        chart->setDifferences(differences);
        if (stays) {
            chart->setRoot(root);
            chart->setCurrent(current);
        }
    };
    show(m_sunburst, m_answer->tree, before->tree, m_answer->title, m_answer->differences);
    show(m_otherSunburst, m_answer->other, before->other, m_answer->otherTitle, m_answer->otherDifferences);
    m_otherSunburst->setVisible(m_answer->compares());
    if (m_rows->setAnswer(m_answer, text))
        return;
    m_tree->setColumnHidden(LogTreeModel::Own, !rank()); // categories have no children
    m_tree->expandToDepth(0);
    // Every column shows all of its numbers, and its title if there is room; names get the remaining width.
    int64_t largest = 0;
    for (const LogTree *tree : {&m_answer->tree, &m_answer->other})
        for (const int64_t value : tree->values)
            largest = std::max(largest, value);
    const int number =
        m_tree->fontMetrics().horizontalAdvance(QLatin1Char('+') + sizeText(largest, isLog())) + kAroundNumbers;
    for (int column = LogTreeModel::Total; column < m_rows->columnCount(); ++column)
        m_tree->setColumnWidth(
            column, m_answer->compares() ? number : std::max(number, m_tree->header()->sectionSizeHint(column)));
    m_tree->header()->setSectionResizeMode(LogTreeModel::Name, QHeaderView::Stretch);
}

void LogView::goTo(uint32_t node)
{
    if (m_following || node >= m_answer->tree.size())
        return;
    const QScopedValueRollback following(m_following, true);
    m_sunburst->setCurrent(node);
    if (node < m_answer->same.size() && m_answer->same[node] != kNoRow)
        m_otherSunburst->setCurrent(m_answer->same[node]);
    if (const QModelIndex index = m_rows->indexOf(node); m_rows->nodeOf(m_tree->currentIndex()) != node) {
        m_tree->setCurrentIndex(index);
        m_tree->scrollTo(index);
    }
}

} // namespace riffle
