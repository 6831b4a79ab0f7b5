# SPDX-FileCopyrightText: The Riffle authors
# SPDX-License-Identifier: Apache-2.0
"""Splits the text of a trace into events, for reference.py, which has the definitions."""
import collections
import json
import re
import zlib
from decimal import Decimal

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class NotATrace(Exception):
    """The file contains nothing that can be read as a trace; the text says why."""


class Bare(str):
    """A value that is not JSON: N/A, nan, inf, None."""


def inflate(data):
    """The text of a gzip file with any number of members, as far as it can be read."""
    out, truncated = [], False
    while data[:2] == b"\x1f\x8b":
        inflater = zlib.decompressobj(31)
        try:
            out.append(inflater.decompress(data))
            out.append(inflater.flush())
        except zlib.error:
            truncated = True
            break
        if not inflater.eof:
            truncated = True
            break
        data = inflater.unused_data
    return b"".join(out), truncated


class Document:
    """The events of one file, with the position of each in the text."""

    def __init__(self, data):
        self.trouble = collections.Counter()
        self.events = []          # values, dict each
        self.spans = []           # (begin, end) in self.text of each event
        self.repaired = set()     # indices of events whose own text needed repair
        self.top = {}             # the other top-level keys of an object
        if data[:2] == b"\x1f\x8b":
            data, truncated = inflate(data)
            if truncated:
                self.trouble["truncated_archive"] += 1
        elif data[:4] == b"PK\x03\x04":
            raise NotATrace("a zip archive; unpack it first")
        if data[:3] == b"\xef\xbb\xbf":
            data = data[3:]
        try:
            self.text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.text = data.decode("utf-8", "replace")
            self.trouble["bad_utf8"] += 1
        self.strict = True
        try:
            self._read_strict()
        except (ValueError, RecursionError):
            self.strict = False
            self.events, self.spans, self.top = [], [], {}
            Tolerant(self).read()

    def _read_strict(self):
        source = self.text
        decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=Bare)
        scan, blank = decoder.scan_once, re.compile(r"[ \t\n\r]*")

        def skip(at):
            return blank.match(source, at).end()

        def value(at):
            try:
                return scan(source, at)
            except StopIteration as error:
                raise ValueError("no value") from error

        others = []

        def array(at):
            at = skip(at + 1)
            if source[at:at + 1] == "]":
                return at + 1
            while True:
                event, end = value(at)
                if isinstance(event, dict):
                    self.events.append(event)
                    self.spans.append((at, end))
                else:
                    others.append(kind_of_other(event))
                at = skip(end)
                mark = source[at:at + 1]
                if mark == "]":
                    return at + 1
                if mark != ",":
                    raise ValueError("no comma")
                at = skip(at + 1)

        at = skip(0)
        if source[at:at + 1] == "[":
            end = array(at)
        elif source[at:at + 1] == "{":
            seen = False
            at = skip(at + 1)
            while source[at:at + 1] != "}":
                key, at = value(at)
                if not isinstance(key, str):
                    raise ValueError("no key")
                at = skip(at)
                if source[at:at + 1] != ":":
                    raise ValueError("no colon")
                at = skip(at + 1)
                if key == "traceEvents" and source[at:at + 1] == "[":
                    seen = True
                    at = array(at)
                else:
                    self.top[key], at = value(at)
                at = skip(at)
                if source[at:at + 1] == ",":
                    at = skip(at + 1)
                    if source[at:at + 1] != '"':
                        raise ValueError("no key")
                elif source[at:at + 1] != "}":
                    raise ValueError("no comma")
            end = at + 1
            if not seen:
                raise ValueError("no traceEvents")
        else:
            raise ValueError("neither object nor array")
        if skip(end) != len(source):
            raise ValueError("more text")
        for kind in others:
            self.trouble[kind] += 1


def kind_of_other(value):
    """The kind of problem of an entry that is not an object."""
    holds_events = isinstance(value, list) and any(isinstance(part, dict) and "ph" in part for part in value)
    return "skipped_text" if holds_events else "not_an_event"


class Broken(Exception):
    pass


class EndOfText(Exception):
    pass


class Tolerant:
    """Reads what `json` rejects: control bytes, stray quotes and backslashes, bare words, stray commas, missing ends."""

    BLANK = re.compile(r"[ \t\n\r]*")
    EVENT_START = re.compile(r'[,\[}]\s*(\{\s*"(?:ph|name|cat|pid|tid|ts|dur|id|args|bp)"\s*:)')
    AFTER_MEMBER = re.compile(r'\s*(?:[}\]]|,\s*(?:[}\]]|"[^"\\\n]*"\s*:|[A-Za-z_][A-Za-z_ ]*"\s*:)|,?\s*\Z)')
    AFTER_ELEMENT = re.compile(r'\s*(?:\]|,\s*(?:["\[{\]\-0-9]|true|false|null|N/A|-?nan|-?inf)|,?\s*\Z)', re.IGNORECASE)
    AFTER_KEY = re.compile(r"\s*:")
    WORD = re.compile(r'[^,\]}\s"{\[:]+(?:/[^,\]}\s]+)?')
    JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z")
    SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

    def __init__(self, document):
        self.document = document
        self.source = document.text
        self.at = 0
        self.repairs = 0

    def skip(self):
        self.at = self.BLANK.match(self.source, self.at).end()

    def peek(self):
        self.skip()
        if self.at >= len(self.source):
            raise EndOfText
        return self.source[self.at]

    def string(self, after):
        """Reads the string whose opening quote is at self.at - 1; `after` says what may follow its closing quote."""
        source, at, out = self.source, self.at, []
        while True:
            if at >= len(source):
                raise EndOfText
            c = source[at]
            if c == '"':
                if after.match(source, at + 1):
                    break
                self.repairs += 1
                out.append(c)
                at += 1
            elif c == "\\":
                following = source[at + 1:at + 2]
                if following == "u" and re.match(r"[0-9a-fA-F]{4}", source[at + 2:at + 6]):
                    out.append(chr(int(source[at + 2:at + 6], 16)))
                    at += 6
                elif following in self.SIMPLE and following:
                    out.append(self.SIMPLE[following])
                    at += 2
                else:
                    self.repairs += 1
                    out.append(c)
                    at += 1
            else:
                if c < " ":
                    self.repairs += 1
                out.append(c)
                at += 1
        self.at = at + 1
        joined = "".join(out)
        if LONE_SURROGATE.search(joined):
            joined = joined.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return joined

    def value(self, after):
        c = self.peek()
        if c == '"':
            self.at += 1
            return self.string(after)
        if c == "{":
            return self.object()
        if c == "[":
            return self.array()
        match = self.WORD.match(self.source, self.at)
        if not match:
            raise Broken
        word = match.group(0)
        self.at = match.end()
        if self.at >= len(self.source):
            raise EndOfText
        if word in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[word]
        number = self.JSON_NUMBER.match(word)
        if number:
            return Decimal(word) if number.group(1) or number.group(2) else int(word)
        self.repairs += 1
        return Bare(word)

    def comma(self):
        """Skips a comma; a comma with nothing after it is counted."""
        self.at += 1
        self.skip()
        if self.source[self.at:self.at + 1] in (",", "]", "}"):
            self.document.trouble["trailing_comma"] += 1

    def array(self):
        self.at += 1
        out = []
        while True:
            c = self.peek()
            if c == "]":
                self.at += 1
                return out
            if c == ",":
                self.comma()
                continue
            out.append(self.value(self.AFTER_ELEMENT))
            if self.peek() not in ",]":
                raise Broken

    def key(self):
        if self.source[self.at] == '"':
            self.at += 1
        else:
            self.repairs += 1
            if not re.match(r"[A-Za-z_]", self.source[self.at]):
                raise Broken
        return self.string(self.AFTER_KEY)

    def object(self):
        self.at += 1
        out = {}
        while True:
            c = self.peek()
            if c == "}":
                self.at += 1
                return out
            if c == ",":
                self.comma()
                continue
            key = self.key()
            if self.peek() != ":":
                raise Broken
            self.at += 1
            out[key] = self.value(self.AFTER_MEMBER)
            if self.peek() not in ",}":
                raise Broken

    def one_event(self):
        """Reads the element at self.at. False if the text ends inside it and nothing follows."""
        document, begin = self.document, self.at
        self.repairs = 0
        try:
            value = self.value(self.AFTER_MEMBER)
        except (Broken, EndOfText) as error:
            following = self.EVENT_START.search(self.source, begin + 1)
            document.trouble["truncated_text" if isinstance(error, EndOfText) and not following else "broken_event"] += 1
            if not following:
                self.at = len(self.source)
                return False
            self.at = following.start(1)
            return True
        if isinstance(value, dict):
            if self.repairs:
                document.repaired.add(len(document.events))
                document.trouble["mended_text"] += 1
            document.events.append(value)
            document.spans.append((begin, self.at))
        else:
            document.trouble[kind_of_other(value)] += 1
        return True

    def events(self, without_end):
        """Reads a list of events; without_end is the kind of problem if the text ends before the list does."""
        self.at += 1
        while True:
            self.skip()
            if self.at >= len(self.source):
                self.document.trouble[without_end] += 1
                return
            c = self.source[self.at]
            if c == "]":
                self.at += 1
                return
            if c == ",":
                self.comma()
                continue
            if not self.one_event():
                return

    def rest(self):
        """What follows the document is not read; only zeros and blanks are harmless."""
        if self.source[self.at:].strip(" \t\r\n\0"):
            self.document.trouble["unread_text"] += 1

    def read(self):
        self.skip()
        if self.at >= len(self.source):
            raise NotATrace("the file is empty")
        c = self.source[self.at]
        if c == "[":
            self.events("missing_close") # optional in an array
            self.rest()
            if not self.document.events and self.document.trouble.keys() & {"broken_event", "not_an_event"}:
                raise NotATrace("no event in it")
            return
        if c != "{":
            raise NotATrace("neither a JSON object nor an array")
        begin = self.at
        first = re.compile(r'\{\s*"(?:ph|name|cat|pid|tid|ts)"\s*:').match(self.source, begin)
        if first and '"traceEvents"' not in self.source:
            while True:
                self.skip()
                if self.at >= len(self.source) or not self.one_event():
                    break
            if not any("ph" in event for event in self.document.events):
                raise NotATrace("an object without traceEvents")
            return
        self.at += 1
        seen = at_member = False
        try:
            while True:
                c = self.peek()
                if c == "}":
                    self.at += 1
                    self.rest()
                    break
                if c == ",":
                    self.comma()
                    at_member = True
                    continue
                at_member = True
                key = self.key()
                if self.peek() != ":":
                    raise Broken
                self.at += 1
                if key == "traceEvents" and self.peek() == "[":
                    seen = True
                    self.events("cut_document")
                    if self.document.trouble["cut_document"]:
                        break
                else:
                    self.document.top[key] = self.value(self.AFTER_MEMBER)
                at_member = False
        except EndOfText:
            self.document.trouble["unread_text" if at_member else "missing_close"] += 1
        except Broken:
            self.document.trouble["skipped_text"] += 1
        if not seen:
            raise NotATrace("an object without traceEvents")
