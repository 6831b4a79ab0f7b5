// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/summary/figures.h"

#include "model/analysis/facts/kernel_class.h"
#include "model/analysis/facts/role.h"
#include "model/analysis/idle/idle_gaps.h"
#include "model/analysis/table/merged_table.h"
#include "model/analysis/table/table_text.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace riffle {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(riffle::Figures)
};

/// The title of a figure for the user: "exposed_memcpy" becomes "Exposed memcpy".
QString titleOf(std::string_view section, std::string_view name)
{
    if (section == "step")
        for (const RoleText &role : kRoleTexts)
            if (name == role.key)
                return Words::tr(role.title);
    if (section == "idle")
        for (size_t cause = 0; cause < kIdleCauses; ++cause)
            if (const IdleCauseText &text = textOf(static_cast<IdleCause>(cause)); name == text.key)
                return Words::tr(text.title);
    QString title = toQString(name).replace(QLatin1Char('_'), QLatin1Char(' '));
    for (const char *word : {"sm", "nccl", "cuda", "cupti", "hip"})
        if (title == QLatin1String(word) || title.startsWith(QLatin1String(word) + QLatin1Char(' ')))
            return QString::fromLatin1(word).toUpper() + title.mid(qstrlen(word));
    if (title.startsWith(QLatin1String("flops")))
        return QStringLiteral("FLOPs") + title.mid(5).replace(QLatin1String(" per s"), QLatin1String("/s"));
    title.replace(QLatin1String("flops per s"), QLatin1String("FLOP/s"));
    title.replace(QLatin1String("flops"), QLatin1String("FLOPs"));
    title.replace(QLatin1String(" bytes"), QString());
    title[0] = title[0].toUpper();
    return title;
}

/// The trace and the device that a row is about.
QString placeOf(const ResultTable &overview, size_t row)
{
    const ResultColumn *trace = overview.column("trace"), *device = overview.column("device");
    QStringList parts;
    if (trace)
        parts += toQString(trace->texts[row]);
    if (!device->absent(row))
        parts += Words::tr("GPU %1").arg(device->integers[row]);
    return parts.join(QStringLiteral(" · "));
}

QString valueOf(const ResultTable &overview, size_t row)
{
    QString differs;
    for (const char *key : {"text", "count", "time_ns"}) {
        const ResultColumn *column = overview.column(key);
        if (column->kind == CellKind::Text && column->texts[row] == kDifferentTexts)
            differs = toQString(kDifferentTexts); // the text shows a number, of which there is a median
        else if (!column->absent(row))
            return toQString(cellText(*column, row));
    }
    return differs;
}

QString shareOf(const ResultTable &overview, size_t row)
{
    const ResultColumn &share = *overview.column("share");
    return share.absent(row) ? QString() : toQString(cellText(share, row));
}

/// Sets the cell of a row, after adding empty cells for the rows before it.
void putCell(QStringList *cells, int row, const QString &value)
{
    while (cells->size() <= row)
        cells->append(QString());
    (*cells)[row] = value;
}

/// Collects the figures of some sections of an overview, in columns by title.
class FigureColumns {
public:
    FigureColumns(const ResultTable &overview, std::initializer_list<std::string_view> sections) : m_overview(overview)
    {
        const ResultColumn *section = overview.column("section");
        for (size_t row = 0; row < overview.rows(); ++row)
            if (std::find(sections.begin(), sections.end(), section->texts[row]) != sections.end())
                m_rows.push_back(row);
    }
    const std::vector<size_t> &rows() const { return m_rows; } ///< those of the sections

    void put(size_t row, const QString &title, const QString &value, const QString &share = {})
    {
        const int figure = figureOf(row);
        auto column = std::find_if(m_figures.columns.begin(), m_figures.columns.end(),
                                   [&](const Figures::Column &one) { return one.title == title; });
        if (column == m_figures.columns.end())
            column = m_figures.columns.insert(m_figures.columns.end(), {title, {}, {}, {}});
        putCell(&column->values, figure, value);
        if (!share.isEmpty())
            putCell(&column->shares, figure, share);
    }
    Figures finish()
    {
        const auto last = static_cast<int>(m_figures.titles.size()) - 1;
        for (Figures::Column &column : m_figures.columns) {
            putCell(&column.values, last, column.values.value(last));
            if (column.hasShares())
                putCell(&column.shares, last, column.shares.value(last));
            for (int row = 0; row <= last; ++row)
                if (column.values[row].isEmpty() && column.shares.value(row).isEmpty())
                    column.values[row] = QStringLiteral("–");
        }
        return std::move(m_figures);
    }

private:
    int figureOf(size_t row)
    {
        const QString title = titleOf(m_overview.column("section")->texts[row], m_overview.column("name")->texts[row]);
        const auto known = static_cast<int>(m_figures.titles.indexOf(title));
        if (known >= 0)
            return known;
        m_figures.titles += title;
        m_figures.meanings += toQString(m_overview.column("formula")->texts[row]);
        return static_cast<int>(m_figures.titles.size()) - 1;
    }

    const ResultTable &m_overview;
    std::vector<size_t> m_rows;
    Figures m_figures;
};

} // namespace

Figures figuresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections)
{
    FigureColumns columns(overview, sections);
    for (const size_t row : columns.rows())
        columns.put(row, placeOf(overview, row), valueOf(overview, row), shareOf(overview, row));
    return columns.finish();
}

Figures mergedFiguresOf(const ResultTable &overview, std::initializer_list<std::string_view> sections)
{
    FigureColumns columns(overview, sections);
    const ResultColumn &name = *overview.column("name"), &least = *overview.column("time_min_ns"),
                       &largest = *overview.column("time_max_ns"), &where = *overview.column("time_max_trace");
    for (const size_t row : columns.rows()) {
        if (name.texts[row] == "rank") // there is no median of names
            continue;
        const auto titled = [device = placeOf(overview, row)](const QString &what) {
            return device.isEmpty() ? what : device + QStringLiteral(" · ") + what;
        };
        columns.put(row, titled(Words::tr("Median")), valueOf(overview, row), shareOf(overview, row));
        if (least.absent(row))
            continue;
        columns.put(row, titled(Words::tr("Min")), toQString(cellText(least, row)));
        columns.put(row, titled(Words::tr("Max")),
                    Words::tr("%1 (%2)").arg(toQString(cellText(largest, row)), toQString(where.texts[row])));
    }
    return columns.finish();
}

Figures idleFigures(ResultTable overview, bool isMerged)
{
    Figures figures;
    const ResultColumn *section = overview.column("section"), *time = overview.column("time_ns"),
                       *share = overview.column("share");
    if (isMerged) // the median of a cause can be 0 although a rank lost much time to it
        time = overview.column("time_max_ns");
    if (!section || !time)
        return figures;
    std::vector<uint32_t> rows = allRows(overview);
    std::erase_if(rows, [&](uint32_t row) { return section->texts[row] != "idle"; });
    const ResultColumn &name = *overview.column("name");
    std::set<std::string> causes; // a cause that only some devices have is 0 for the others
    for (const uint32_t row : rows)
        if (time->number(row) > 0)
            causes.insert(name.texts[row]);
    std::erase_if(rows, [&](uint32_t row) { return !causes.contains(name.texts[row]); });
    if (rows.size() == causes.size()) // of one device
        std::ranges::stable_sort(rows, std::greater(), [&](uint32_t row) { return time->integers[row]; });
    overview.keepRows(rows);
    figures = isMerged ? mergedFiguresOf(overview, {"idle"}) : figuresOf(overview, {"idle"});
    if (figures.columns.size() == 1) // bars of several devices would be hard to tell apart
        for (size_t row = 0; row < rows.size(); ++row)
            figures.columns[0].bars += share->numbers[row];
    return figures;
}

Figures longestKernels(const ResultTable &kernels)
{
    constexpr size_t kMost = 5;
    Figures figures;
    const ResultColumn *names = kernels.column("name"), *times = kernels.column("total_ns"),
                       *shares = kernels.column("share");
    if (!names || !times || !shares)
        return figures;
    std::vector<uint32_t> rows = sortedRows(kernels, *times, true);
    std::erase_if(rows, [&](uint32_t row) { return times->absent(row) || times->integers[row] <= 0; });
    rows.resize(std::min(rows.size(), kMost));
    if (rows.empty())
        return figures;
    Figures::Column column{Words::tr("Kernel time"), {}, {}, {}};
    for (const uint32_t row : rows) {
        const std::string &name = names->texts[row];
        figures.titles += toQString(names->shorts.empty() ? name : names->shorts[row]);
        figures.meanings += toQString(name);
        figures.colours += classFills()[classFillRow(kernelClass(name))].fill;
        column.values += toQString(cellText(*times, row));
        column.shares += toQString(cellText(*shares, row));
        column.bars += times->number(row) / times->number(rows.front());
    }
    figures.columns += column;
    return figures;
}

} // namespace riffle
