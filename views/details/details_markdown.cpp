// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "views/details/details_markdown.h"

#include "model/analysis/table/table_markdown.h"
#include "model/base/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace riffle {

namespace {

struct ListWords {
    Q_DECLARE_TR_FUNCTIONS(riffle::Details)
};

constexpr qsizetype kLongestValue = 400; ///< characters
constexpr size_t kMostItems = 30;        ///< of arguments, inputs or frames

QString shortened(const QString &text)
{
    return text.size() <= kLongestValue ? text : singleLine(text, kLongestValue) + QStringLiteral("…");
}

class MarkdownList {
public:
    explicit MarkdownList(const Trace &trace) : m_trace(trace) {}

    void add(const QString &name, const QString &value)
    {
        if (!value.isEmpty())
            m_text += QStringLiteral("- %1: %2\n").arg(escaped(name), escaped(value));
    }
    void add(const QString &name, std::string_view value) { add(name, toQString(value)); }
    void add(const QString &name, SliceId id)
    {
        if (const auto slice = m_trace.slice(id))
            add(name, QStringLiteral("%1 (%2)").arg(toQString(m_trace.string(slice->data.name)),
                                                    toQString(formatDuration(slice->data.duration))));
    }
    /// Adds a heading, and below it an item for each of `count` texts.
    template <typename TextOf>
    void addAll(const QString &heading, size_t count, TextOf textOf)
    {
        if (count == 0)
            return;
        m_text += QStringLiteral("- %1:\n").arg(escaped(heading));
        for (size_t at = 0; at < std::min(count, kMostItems); ++at)
            m_text += QStringLiteral("  - %1\n").arg(escaped(textOf(at)));
        if (count > kMostItems)
            m_text += QStringLiteral("  - %1\n").arg(ListWords::tr("and %1 more").arg(count - kMostItems));
    }
    const QString &text() const { return m_text; }

private:
    static QString escaped(const QString &text) { return toQString(markdownText(toUtf8(shortened(text)))); }

    const Trace &m_trace;
    QString m_text;
};

void addLinks(MarkdownList &list, const SliceDetails &details)
{
    const SliceLinks &links = details.links;
    const auto add = [&](const QString &name, SliceId id) {
        if (id.valid() && id != details.slice.id)
            list.add(name, id);
    };
    add(ListWords::tr("Parent"), details.slice.parent);
    add(ListWords::tr("Launched by"), links.launch);
    add(ListWords::tr("Operator"), links.operation);
    add(ListWords::tr("Forward operator"), links.forward);
    add(links.throughForward ? ListWords::tr("Forward Python frame") : ListWords::tr("Python frame"), links.frame);
    add(links.throughForward ? ListWords::tr("Forward module") : ListWords::tr("Module"), links.module);
    for (const SliceId backward : links.backward)
        add(ListWords::tr("Backward operator"), backward);
    if (links.deviceWorkCount > 0)
        list.add(ListWords::tr("Device work"),
                 formatCounted(static_cast<int64_t>(links.deviceWorkCount), "slice", "slices") + ", " +
                     formatDuration(links.deviceTime));
}

QString inputText(const TensorArgument &input)
{
    QStringList parts;
    for (const std::string &part : {input.shape, input.type, input.value})
        if (!part.empty() && part != "[]")
            parts += toQString(part);
    return parts.isEmpty() ? QStringLiteral("–") : parts.join(QLatin1Char(' '));
}

QString frameText(const StackFrame &frame)
{
    if (frame.file.empty())
        return toQString(frame.text);
    return QStringLiteral("%1:%2 %3").arg(toQString(frame.file)).arg(frame.line).arg(toQString(frame.function));
}

} // namespace

QString detailsMarkdown(const Trace &trace, const SliceDetails &details, const DetailsFormat &format)
{
    const Slice &slice = details.slice;
    MarkdownList list(trace);
    list.add(ListWords::tr("Category"), details.category);
    list.add(ListWords::tr("Lane"),
             details.processName.empty() ? details.laneName : details.laneName + " · " + details.processName);
    list.add(ListWords::tr("Start"), formatDurationExact(slice.data.start - format.origin));
    if (format.baseTime)
        list.add(ListWords::tr("Clock"), formatUnixTime(*format.baseTime + slice.data.start));
    list.add(ListWords::tr("Duration"), formatDurationExact(slice.data.duration));
    list.add(ListWords::tr("Self time"), formatDurationExact(slice.self));
    addLinks(list, details);
    list.addAll(ListWords::tr("Inputs"), details.tensors.size(),
                [&](size_t at) { return inputText(details.tensors[at]); });
    if (!details.sourceTrouble.empty())
        list.add(ListWords::tr("Arguments"), details.sourceTrouble);
    list.addAll(ListWords::tr("Arguments"), details.arguments.size(), [&](size_t at) {
        const EventArgument &argument = details.arguments[at];
        return toQString(argument.key + ": " + argument.value.text());
    });
    list.addAll(ListWords::tr("Call stack"), details.stack.size(),
                [&](size_t at) { return frameText(details.stack[at]); });
    return QStringLiteral("**%1**\n\n").arg(toQString(markdownText(toUtf8(shortened(toQString(details.name)))))) +
           list.text();
}

} // namespace riffle
