// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/src/sources/python_stack_tree.h"

namespace riffle::collector {

void PythonStackTree::code(const PythonCodeText &text)
{
    if (m_codes.size() >= kCodes) { // a program that makes code all the time
        m_olderCodes = std::move(m_codes);
        m_codes.clear();
        forgetPythonCodes();
    }
    Code &code = m_codes[text.id];
    code.firstLine = text.firstLine;
    code.name = text.qualifiedName.empty() ? text.name : text.qualifiedName;
    code.file = text.file;
    code.isOurs = text.file.find("/riffle_profiler/_") != std::string_view::npos;
    code.lines.assign(text.lineTable.begin(), text.lineTable.end());
}

void PythonStackTree::stack(uint32_t thread, uint32_t kept, uint32_t omitted, std::span<const PythonPlace> frames)
{
    Stack &stack = m_threads[thread];
    stack.levels.resize(kept);
    if (stack.omitted != omitted)
        stack.named = 0;
    stack.omitted = omitted;
    stack.named = std::min<size_t>(stack.named, kept);
    for (const PythonPlace &place : frames)
        stack.levels.push_back({place, 0});
    if (m_nodes.size() >= kNodes)
        forgetNodes();
}

void PythonStackTree::forgetNodes()
{
    m_nodes.clear();
    ++m_generation;
}

PythonStackTree::Code *PythonStackTree::find(uint32_t id)
{
    for (auto *codes : {&m_codes, &m_olderCodes})
        if (const auto found = codes->find(id); found != codes->end())
            return &found->second;
    return nullptr;
}

int32_t PythonStackTree::lineOf(PythonPlace place)
{
    Code *code = find(place.code);
    if (!code)
        return 0;
    const auto [at, added] = code->decoded.try_emplace(place.offset, 0);
    if (added)
        at->second = pythonLine(m_format, code->lines, code->firstLine, place.offset);
    return at->second;
}

} // namespace riffle::collector
