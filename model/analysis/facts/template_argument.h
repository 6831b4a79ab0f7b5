// SPDX-FileCopyrightText: The Riffle authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace riffle {

/// A template argument of a demangled name without namespaces, scopes and the suffixes of numbers. A lambda is named by
/// the function around it, its numbers and its parameters: "at::native::(anonymous
/// namespace)::copy(at::TensorIterator&)::{lambda()#3}::operator()() const::{lambda(float)#1}" becomes
/// "copy#3#1(float)". The result is cut after a few hundred bytes; time is linear in the text. Namespaces and scopes
/// stay if `keepScopes`.
std::string shortTemplateArgument(std::string_view text, bool keepScopes = false);

} // namespace riffle
