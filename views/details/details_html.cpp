// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/details/details_html.h"

#include "model/base/format.h"
#include "views/common/look/qt_text.h"

#include <QCoreApplication>

#include <algorithm>

namespace riffle {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(riffle::Details)
};

QString duration(Ns time) { return escapedHtml(formatDuration(time)); }

/// Adds a zero-width space after punctuation marks, so that long names can wrap there.
QString breakable(std::string_view text)
{
    QString out;
    for (const QChar c : toQString(text)) {
        out += c;
        if (c == QLatin1Char(',') || c == QLatin1Char(':') || c == QLatin1Char('<') || c == QLatin1Char('(') ||
            c == QLatin1Char('/') || c == QLatin1Char('_'))
            out += QChar(0x200B);
    }
    return out.toHtmlEscaped();
}

QString heading(const QString &text) { return QStringLiteral("<h4 style=\"margin:10px 0 3px 0\">%1</h4>").arg(text); }

QString link(const Trace &trace, SliceId id, bool withTime = true)
{
    const std::optional<Slice> slice = trace.slice(id);
    if (!slice)
        return QStringLiteral("–");
    std::string_view name = trace.string(slice->data.name);
    const QString shown =
        elided(singleLine(toQString(name.substr(0, 600))), QFontMetrics(QFont()), 420).toHtmlEscaped();
    QString text = QStringLiteral("<a href=\"slice:%1\">%2</a>")
                       .arg(id.value)
                       .arg(shown.isEmpty() ? Words::tr("(no name)") : shown);
    if (withTime)
        text += QStringLiteral(" <span style=\"color:gray\">%1</span>").arg(duration(slice->data.duration));
    return text;
}

QString generalTable(const Trace &trace, const SliceDetails &details, const DetailsFormat &format)
{
    const Slice &slice = details.slice;
    QString rows = propertyRow(Words::tr("Category"), escapedHtml(details.category));
    rows += propertyRow(Words::tr("Lane"),
                        details.processName.empty()
                            ? escapedHtml(details.laneName)
                            : escapedHtml(details.laneName) + QStringLiteral(" · ") + escapedHtml(details.processName));
    rows += propertyRow(Words::tr("Start"), escapedHtml(formatDurationExact(slice.data.start - format.origin)));
    if (format.baseTime)
        rows += propertyRow(Words::tr("Clock"), escapedHtml(formatUnixTime(*format.baseTime + slice.data.start)));
    rows += propertyRow(Words::tr("Duration"), escapedHtml(formatDurationExact(slice.data.duration)));
    QString self = escapedHtml(formatDurationExact(slice.self));
    if (slice.data.duration > 0 && slice.self != slice.data.duration)
        self += QStringLiteral(" (%1)").arg(
            escapedHtml(formatShare(static_cast<double>(slice.self) / static_cast<double>(slice.data.duration))));
    rows += propertyRow(Words::tr("Self time"), self);
    if (slice.parent.valid())
        rows += propertyRow(Words::tr("Parent"), link(trace, slice.parent));
    QStringList odd;
    if (slice.data.flags & slice_flag::Crossing)
        odd += Words::tr("crosses another slice in its lane");
    if (slice.data.flags & slice_flag::Unfinished)
        odd += Words::tr("without an end; drawn to the end of the trace");
    if (slice.data.flags & slice_flag::NoDuration)
        odd += Words::tr("recorded without a duration");
    if (slice.data.flags & slice_flag::NegativeDuration)
        odd += Words::tr("recorded with a negative duration");
    if (slice.data.flags & slice_flag::Repaired)
        odd += Words::tr("its text was damaged and has been repaired");
    if (slice.data.flags & slice_flag::AbsurdTime)
        odd += Words::tr("its time is out of range");
    if (!odd.isEmpty())
        rows += propertyRow(Words::tr("Note"), odd.join(QStringLiteral("; ")).toHtmlEscaped());
    return QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">%1</table>").arg(rows);
}

QString linksTable(const Trace &trace, const SliceDetails &details)
{
    const SliceLinks &links = details.links;
    const SliceId self = details.slice.id;
    QString rows;
    const auto add = [&](const QString &label, SliceId id) {
        if (id.valid() && id != self)
            rows += propertyRow(label, link(trace, id));
    };
    add(Words::tr("Launched by"), links.launch);
    add(Words::tr("Operator"), links.operation);
    add(Words::tr("Forward operator"), links.forward);
    add(links.throughForward ? Words::tr("Forward Python frame") : Words::tr("Python frame"), links.frame);
    add(links.throughForward ? Words::tr("Forward module") : Words::tr("Module"), links.module);
    for (const SliceId backward : links.backward)
        add(Words::tr("Backward operator"), backward);
    if (rows.isEmpty() && links.deviceWorkCount == 0)
        return {};
    QString html = heading(Words::tr("Links"));
    html += QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">%1").arg(rows);
    if (links.deviceWorkCount > 0) {
        html += propertyRow(Words::tr("Device work"),
                            links.deviceWorkCount == 1
                                ? Words::tr("1 slice, %1").arg(duration(links.deviceTime))
                                : Words::tr("%1 slices, %2 in total")
                                      .arg(escapedHtml(formatCount(static_cast<int64_t>(links.deviceWorkCount))),
                                           duration(links.deviceTime)));
        constexpr size_t kShown = 12;
        for (size_t i = 0; i < links.deviceWork.size() && i < kShown; ++i)
            html += propertyRow({}, link(trace, links.deviceWork[i]));
        if (links.deviceWorkCount > kShown)
            html += propertyRow({}, Words::tr("and %1 more").arg(links.deviceWorkCount - kShown));
    }
    return html + QStringLiteral("</table>");
}

QString tensorTable(const std::vector<TensorArgument> &tensors)
{
    if (tensors.empty())
        return {};
    const auto any = [&](std::string TensorArgument::*member) {
        return std::any_of(tensors.begin(), tensors.end(), [&](const TensorArgument &tensor) {
            return !(tensor.*member).empty() && tensor.*member != "[]";
        });
    };
    struct Field {
        QString title;
        std::string TensorArgument::*member;
    };
    std::vector<Field> fields{{Words::tr("Shape"), &TensorArgument::shape}, {Words::tr("Type"), &TensorArgument::type}};
    if (any(&TensorArgument::strides))
        fields.push_back({Words::tr("Strides"), &TensorArgument::strides});
    if (any(&TensorArgument::value))
        fields.push_back({Words::tr("Value"), &TensorArgument::value});
    QString html =
        heading(Words::tr("Inputs")) + QStringLiteral("<table cellspacing=\"0\" cellpadding=\"2\"><tr><td></td>");
    for (const Field &field : fields)
        html += QStringLiteral("<td style=\"color:gray; padding-right:10px\">%1</td>").arg(field.title);
    html += QStringLiteral("</tr>");
    for (size_t i = 0; i < tensors.size(); ++i) {
        html += QStringLiteral("<tr><td style=\"color:gray; padding-right:8px\">%1</td>").arg(i);
        for (const Field &field : fields) {
            const std::string &text = tensors[i].*field.member;
            html += QStringLiteral("<td style=\"padding-right:10px\">%1</td>")
                        .arg(text == "[]" ? QString() : breakable(text));
        }
        html += QStringLiteral("</tr>");
    }
    return html + QStringLiteral("</table>");
}

bool isInputArgument(const std::string &key)
{
    return key == "Input Dims" || key == "Input dims" || key == "Input type" || key == "Input Strides" ||
           key == "Concrete Inputs";
}

QString argumentsTable(const SliceDetails &details)
{
    if (!details.sourceTrouble.empty())
        return heading(Words::tr("Arguments")) +
               Words::tr("The arguments cannot be read: %1").arg(escapedHtml(details.sourceTrouble));
    QString rows;
    for (const EventArgument &argument : details.arguments) {
        if (details.tensors.empty() || !isInputArgument(argument.key))
            rows += propertyRow(escapedHtml(argument.key), breakable(argument.value.text()));
    }
    if (rows.isEmpty())
        return {};
    return heading(Words::tr("Arguments")) +
           QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">%1</table>").arg(rows);
}

QString childrenList(const Trace &trace, const SliceDetails &details)
{
    if (details.children.empty())
        return {};
    QString html =
        heading(Words::tr("Children (%1)").arg(escapedHtml(formatCount(static_cast<int64_t>(details.childCount)))));
    constexpr size_t kShown = 60;
    for (size_t i = 0; i < details.children.size() && i < kShown; ++i)
        html += link(trace, details.children[i]) + QStringLiteral("<br>");
    if (details.childCount > kShown)
        html += Words::tr("and %1 more").arg(details.childCount - kShown);
    return html;
}

} // namespace

QString propertyRow(const QString &name, const QString &value)
{
    return QStringLiteral(
               "<tr><td style=\"white-space:nowrap; padding-right:10px\"><span style=\"color:gray\">%1</span></td>"
               "<td>%2</td></tr>")
        .arg(name, value);
}

QString groupHtml(const SliceGroup &group)
{
    return heading(Words::tr("%1 selected slices").arg(escapedHtml(formatCount(static_cast<int64_t>(group.count))))) +
           QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">%1</table>")
               .arg(propertyRow(Words::tr("Sum"), duration(group.sum)) +
                    propertyRow(Words::tr("Union"), duration(group.covered)) +
                    propertyRow(Words::tr("Gaps"), duration(group.gaps())) +
                    propertyRow(Words::tr("From first to last"), duration(group.span.duration()))) +
           heading(Words::tr("The first of them"));
}

QString detailsHtml(const Trace &trace, const SliceDetails &details, const DetailsFormat &format)
{
    return QStringLiteral("<p style=\"margin:0 0 6px 0\"><b>%1</b></p>").arg(breakable(details.name)) +
           generalTable(trace, details, format) + linksTable(trace, details) + tensorTable(details.tensors) +
           argumentsTable(details) + childrenList(trace, details);
}

SliceId sliceOfLink(const QString &link)
{
    if (!link.startsWith(QLatin1String("slice:")))
        return {};
    bool good = false;
    const uint id = link.mid(6).toUInt(&good);
    return good ? SliceId(id) : SliceId();
}

} // namespace riffle
