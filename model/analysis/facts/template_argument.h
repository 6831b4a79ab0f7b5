// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// A template argument of a demangled name without namespaces, scopes and the suffixes of numbers; a lambda by the
/// function around it, its numbers and what it takes: "at::native::(anonymous
/// namespace)::copy(at::TensorIterator&)::{lambda()#3}::operator()() const::{lambda(float)#1}" is "copy#3#1(float)".
/// The result is cut at a few hundred bytes; time is linear in the text. Namespaces and scopes stay when asked.
std::string shortTemplateArgument(std::string_view text, bool keepScopes = false);

} // namespace riffle
