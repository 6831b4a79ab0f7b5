# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""The answers of riffle-cli as objects that Jupyter shows. pandas and pyarrow are imported only when they are asked for."""

import html
import os

_SHOWN_ROWS, _SHOWN_COLUMNS, _SHOWN_TEXT = 50, 60, 200
_EXACT = 2 ** 53  # a float holds every integer up to here


class Table:
    """Rows of an answer. `columns` are the names, with the unit at the end (`_ns`, `bytes`); `rows` are tuples of numbers, texts and
    None; `warnings` are the sentences that came with the answer. Iteration yields a dict per row, table[3] is one of them, and
    table["name"] is the list of a column's values."""

    def __init__(self, columns, rows, warnings=()):
        self.columns, self.rows, self.warnings = list(columns), rows, list(warnings)

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return (dict(zip(self.columns, row)) for row in self.rows)

    def __getitem__(self, key):
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"There is no column {key}. The columns are {', '.join(self.columns)}.")
            at = self.columns.index(key)
            return [row[at] for row in self.rows]
        if isinstance(key, slice):
            return Table(self.columns, self.rows[key], self.warnings)
        return dict(zip(self.columns, self.rows[key]))

    def to_pandas(self):
        """A pandas.DataFrame. Integers stay exact: a column that lacks some of them has the type Int64, not float64."""
        import pandas

        return pandas.DataFrame({name: pandas.Series(self[name], dtype=_pandas_type(self[name])) for name in self.columns},
                                columns=self.columns)

    def to_arrow(self):
        """A pyarrow.Table. Columns that mix texts and numbers become texts."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(*_arrow_values(self[name], pyarrow)) for name in self.columns})

    def __arrow_c_stream__(self, requested_schema=None):
        """For polars, DuckDB and others that read Arrow's data from any object."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __repr__(self):
        return f"<Table of {_counted(len(self), 'row')}: {', '.join(self.columns)}>"

    def _repr_html_(self):
        rows = [row[:_SHOWN_COLUMNS] for row in self.rows[:_SHOWN_ROWS]]
        head = "".join(f'<th style="text-align: {_side(row[at] for row in rows)}">{html.escape(name)}</th>'
                       for at, name in enumerate(self.columns[:_SHOWN_COLUMNS]))
        body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>\n" for row in rows)
        notes = list(self.warnings)
        if len(self) > _SHOWN_ROWS:
            notes.append(f"The first {_SHOWN_ROWS} of {len(self):,} rows are shown. The attribute rows and to_pandas() have all of them.")
        if len(self.columns) > _SHOWN_COLUMNS:
            notes.append(f"The first {_SHOWN_COLUMNS} of {len(self.columns):,} columns are shown.")
        if not self.rows and not notes:
            notes.append("The table has no rows.")
        return (f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n" + _paragraphs(notes))


class Page:
    """A page of HTML: `html` is its text. Jupyter shows it in a frame that cannot reach the notebook."""

    def __init__(self, text, warnings=()):
        self.html, self.warnings = text, list(warnings)

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return os.path.abspath(os.fspath(path))

    def __repr__(self):
        return f"<Report of {len(self.html.encode()):,} bytes; save(path) writes it to a file>"

    def _repr_html_(self):
        return (f'<iframe sandbox="allow-scripts" style="width: 100%; height: 600px; box-sizing: border-box" '
                f'srcdoc="{html.escape(self.html)}"></iframe>\n' + _paragraphs(self.warnings))


class Text(str):
    """Lines of text."""

    def __new__(cls, text, warnings=()):
        made = super().__new__(cls, text)
        made.warnings = list(warnings)
        return made

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return _paragraphs([*self.splitlines(), *self.warnings])


def _paragraphs(lines):
    return "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)


def _counted(number, what):
    return f"{number:,} {what}{'s' * (number != 1)}"


def _cell(value):
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.6g}</td>'
    if isinstance(value, (int, bool)):
        return f'<td style="text-align: right">{value}</td>'
    text = "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in str(value))
    cut = text if len(text) <= _SHOWN_TEXT else text[:_SHOWN_TEXT - 1] + "…"
    return f'<td style="text-align: left"><bdi>{html.escape(cut)}</bdi></td>'


def _side(values):
    return "left" if any(isinstance(value, str) for value in values) else "right"


def _kinds(values):
    return {type(value) for value in values if value is not None}


def _exact_floats(values):
    """True if every number is one that a float holds."""
    return all(not isinstance(value, int) or abs(value) <= _EXACT for value in values)


def _pandas_type(values):
    kinds, missing = _kinds(values), None in values
    if kinds == {int}:
        least, most = (pick(value for value in values if value is not None) for pick in (min, max))
        if -2 ** 63 <= least and most < 2 ** 63:
            return "Int64" if missing else "int64"
        return object
    if kinds and kinds <= {int, float} and _exact_floats(values):
        return "float64"
    return bool if kinds == {bool} and not missing else object


def _arrow_values(values, pyarrow):
    """The arguments of pyarrow.array() for the values of a column."""
    kinds = _kinds(values)
    if kinds == {int, float} and _exact_floats(values):
        return [value if value is None else float(value) for value in values], pyarrow.float64()
    if len(kinds) > 1 or (kinds == {int} and any(value is not None and not -2 ** 63 <= value < 2 ** 63 for value in values)):
        return [value if value is None else str(value) for value in values], pyarrow.string()
    return values, pyarrow.string() if kinds == {str} else None
