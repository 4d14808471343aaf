// The groups of built-ins: one file, one table each.
#pragma once

#include "src/rego/builtin.hpp"

namespace sallyport::rego::builtins {

BuiltinTable comparison();
BuiltinTable arithmetic();
BuiltinTable aggregates();
BuiltinTable arrays();
BuiltinTable sets();
BuiltinTable objects();
BuiltinTable bits();
BuiltinTable types();
BuiltinTable numbers();
BuiltinTable strings();
BuiltinTable sprintf();
BuiltinTable regex();
BuiltinTable glob();
BuiltinTable units();
BuiltinTable encoding();
BuiltinTable json();
BuiltinTable json_schema();
BuiltinTable net();
BuiltinTable time();
BuiltinTable jwt();
BuiltinTable jwt_sign();
BuiltinTable crypto();
BuiltinTable x509();
BuiltinTable uri();
BuiltinTable graph();
BuiltinTable semver();
BuiltinTable uuid();
BuiltinTable outside();
BuiltinTable templates();

}  // namespace sallyport::rego::builtins
