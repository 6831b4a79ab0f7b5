// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>

namespace riffle_observer {

/// A text that is written into fixed memory. One that does not fit is left out as a whole.
class Text {
public:
    void clear() { m_size = 0, m_fits = true; }
    std::string_view view() const { return m_fits ? std::string_view(m_bytes, m_size) : std::string_view(); }
    void add(std::string_view text)
    {
        m_fits = m_fits && text.size() <= kMost - m_size;
        if (m_fits) {
            std::memcpy(m_bytes + m_size, text.data(), text.size());
            m_size += text.size();
        }
    }
    void add(int64_t number)
    {
        if (!m_fits)
            return;
        const auto [end, error] = std::to_chars(m_bytes + m_size, m_bytes + kMost, number);
        m_fits = error == std::errc();
        m_size = m_fits ? static_cast<size_t>(end - m_bytes) : m_size;
    }

private:
    static constexpr size_t kMost = 15'000; // four texts fit into one record of the library
    char m_bytes[kMost];
    size_t m_size = 0;
    bool m_fits = true;
};

/// The texts of numbers with a fraction, of which programs use few, but often.
class DoubleTexts {
public:
    std::string_view of(double number)
    {
        uint64_t bits = 0;
        std::memcpy(&bits, &number, sizeof(bits));
        Entry &entry = m_entries[(bits * 0x9E3779B97F4A7C15u) >> 58];
        if (entry.length == 0 || entry.bits != bits) {
            entry.bits = bits;
            entry.length = std::clamp(write(number, entry.text), 0, int{sizeof(entry.text)} - 1);
        }
        return {entry.text, static_cast<size_t>(entry.length)};
    }

private:
    struct Entry {
        uint64_t bits;
        int length;
        char text[36];
    };
    /// The form in which PyTorch prints numbers.
    static int write(double number, char (&to)[36])
    {
        if (std::isfinite(number) && std::abs(number) < 1e10 && number == std::floor(number))
            return std::snprintf(to, sizeof(to), "%s%lld.", std::signbit(number) && number == 0 ? "-" : "",
                                 static_cast<long long>(number));
        const int length = std::snprintf(to, sizeof(to), "%.17g", number);
        std::replace(to, to + std::max(0, std::min(length, int{sizeof(to)})), ',', '.'); // the program's locale
        return length;
    }
    Entry m_entries[64] = {};
};

/// The inputs of an operator, as PyTorch's profiler writes them in its traces: JSON with an entry for each input.
class InputTexts {
public:
    /// Writes the texts of a call, in memory that the next call uses again. Throws what PyTorch throws, for example for
    /// a tensor that does not say its sizes.
    void write(const at::RecordFunction &function)
    {
        for (Text *text : m_all) {
            text->clear();
            text->add("[");
        }
        bool isFirst = true;
        for (const c10::IValue &value : function.inputs()) {
            for (Text *text : m_all)
                text->add(isFirst ? "" : ", ");
            isFirst = false;
            addInput(value);
        }
        for (Text *text : m_all)
            text->add("]");
    }
    /// Sizes of tensors, types, strides of tensors, values of scalars.
    std::string_view text(size_t number) const { return m_all[number]->view(); }

private:
    static constexpr size_t kMostTensors = 30, kMostScalars = 30; ///< PyTorch's limits for the lists that it writes

    static void addNumbers(Text &to, c10::IntArrayRef numbers)
    {
        to.add("[");
        for (size_t at = 0; at < numbers.size(); ++at) {
            if (at > 0)
                to.add(", ");
            to.add(numbers[at]);
        }
        to.add("]");
    }

    /// False for tensors whose sizes PyTorch's profiler does not write either.
    static bool hasSizes(const at::Tensor &tensor)
    {
        return tensor.defined() && !tensor.is_nested() && !tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
    }

    void addSizes(const at::Tensor &tensor)
    {
        const bool known = hasSizes(tensor);
        addNumbers(m_shapes, known ? tensor.sizes() : c10::IntArrayRef());
        addNumbers(m_strides, known && tensor.layout() == at::kStrided ? tensor.strides() : c10::IntArrayRef());
    }

    void addScalar(const c10::IValue &value)
    {
        if (value.isInt())
            m_values.add(value.toInt());
        else if (value.isBool())
            m_values.add(value.toBool() ? "True" : "False");
        else if (value.isDouble())
            m_values.add(m_doubles.of(value.toDouble()));
        else if (value.isComplexDouble()) { // but no symbol, whose text only Python knows
            std::ostringstream text;
            text << value;
            m_values.add(text.str());
        }
    }

    static bool isShortScalarList(const c10::IValue &value)
    {
        if (!value.isList())
            return false;
        const auto list = value.toListRef();
        return list.empty() || (list[0].isScalar() && list.size() <= kMostScalars);
    }

    /// Adds an input to the four texts, in the forms of PyTorch's profiler.
    void addInput(const c10::IValue &value)
    {
        std::string_view type;
        m_values.add("\"");
        if (value.isTensor()) {
            const at::Tensor &tensor = value.toTensor();
            addSizes(tensor);
            if (hasSizes(tensor))
                type = tensor.dtype().name();
        } else if (value.isTensorList()) {
            const auto list = value.toListRef();
            type = "TensorList";
            m_shapes.add("["), m_strides.add("[");
            for (size_t at = 0; at < list.size() && list.size() <= kMostTensors; ++at) {
                if (at > 0)
                    m_shapes.add(", "), m_strides.add(", ");
                addSizes(list[at].toTensor());
            }
            m_shapes.add("]"), m_strides.add("]");
        } else {
            m_shapes.add("[]"), m_strides.add("[]");
            if (value.isScalar()) {
                type = "Scalar";
                addScalar(value);
            } else if (isShortScalarList(value)) {
                const auto list = value.toListRef();
                type = "ScalarList";
                m_values.add("[");
                for (size_t at = 0; at < list.size(); ++at) {
                    if (at > 0)
                        m_values.add(", ");
                    addScalar(list[at]);
                }
                m_values.add("]");
            }
        }
        m_values.add("\"");
        m_types.add("\""), m_types.add(type), m_types.add("\"");
    }

    Text m_shapes, m_types, m_strides, m_values;
    Text *const m_all[4] = {&m_shapes, &m_types, &m_strides, &m_values};
    DoubleTexts m_doubles;
};

} // namespace riffle_observer
