#!/usr/bin/env python3
"""Writes src/content/html/character_reference_table.hpp, from Python's copy of the HTML Standard's list.

Run it by hand when the list grows, which the Standard promises it will not:
    scripts/generate_character_references.py > src/content/html/character_reference_table.hpp
"""

import html.entities

HEAD = """\
// Made by scripts/generate_character_references.py; do not edit.
//
// One entry: the name, ';' or '?' (the semicolon may be missing), the characters, a space.
#pragma once

#include <string_view>

namespace sallyport::content::html {

// clang-format off
inline constexpr std::string_view kCharacterReferences =
"""
TAIL = """\
    ;
// clang-format on

}  // namespace sallyport::content::html
"""


def escaped(characters):
    special = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
    return "".join(
        special.get(c) or (c if " " < c < "\x7f" else f"\\u{ord(c):04x}" if ord(c) < 0x10000 else f"\\U{ord(c):08x}")
        for c in characters
    )


def literals(entries):
    """The entries as string literals of at most 100 columns."""
    line = ""
    for entry in entries:
        if len(line) + len(entry) > 90:
            yield f'    "{line}"'
            line = ""
        line += entry
    yield f'    "{line}"'


def main():
    known = html.entities.html5
    names = sorted(name[:-1] for name in known if name.endswith(";"))
    entries = (f"{name}{'?' if name in known else ';'}{escaped(known[name + ';'])} " for name in names)
    print(HEAD + "\n".join(literals(entries)) + "\n" + TAIL, end="")


if __name__ == "__main__":
    main()
