"""Prolog text to tokens.

One regular expression, `TOKEN`, cuts the text; the number of the group that matched is the kind of the token. The
few tokens that it cannot see as a whole (numbers that are not just digits, most quoted text, comments) it only
recognises by their first characters, and `Source` reads them from there.

The text may be anything, so no expression here may take more than linear time, nor memory that grows with the
text. Python's matcher keeps a record of every round of a repeated group and goes back through all of them when
the rest fails. Repetitions of groups are therefore bounded, and continued by a loop outside of the expression.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from bisect import bisect_left

from maxsynth.errors import Position, SyntaxProblem
from maxsynth.prolog.reading.late import late

# Python refuses to convert longer texts to integers in one step, because that step is quadratic.
MAX_DIGITS = 4000
# Even the better way to convert takes more than linear time: this one takes a tenth of a second.
MAX_NUMBER = 100_000

# Brackets and operators around one place, or open comments. Each takes up to some hundred bytes while it is open.
MAX_NESTING = 1_000_000

# Letters, digits, underscore, and the accents that follow their letter.
NAME_CHARS = r"[\w\u0300-\u036f]"

# A name and the bracket of its arguments are one token, since `f(` differs from `f (`; group and bracket are then
# neighbours (NAME, NAME_CALL). QUOTED is the common case of quoted text, QUOTE the start of any other.
TOKEN = late(
    rf"""\s*(?:%[^\n]*\s*){{0,100}}(?:
      ([a-z]{NAME_CHARS}*)(\()?
    | ([A-Z_]{NAME_CHARS}*)(\()?
    | (,)
    | (\))
    | ([0-9]{{1,{MAX_DIGITS}}})(?![\w'.]|[ ][0-9])
    | (\()
    | (\.(?=[\s%]|\Z))
    | (\[)
    | (\])
    | (\|)
    | (/\*|%)
    | ([-+*/\\^<>=~:.?@#&$]+|[!;])(\()?
    | ('[^'\\]{{0,1000}}'(?!'))(\()?
    | (['"`])
    | ([0-9])
    | ({{)
    | (}})
    | (\Z)
    | (.)
    )""",
    re.VERBOSE | re.DOTALL,
)
(
    NAME, NAME_CALL, VARIABLE, VARIABLE_CALL, COMMA, CLOSE_ROUND, INTEGER, OPEN_ROUND, END, OPEN_SQUARE,
    CLOSE_SQUARE, BAR, COMMENT, SYMBOL, SYMBOL_CALL, QUOTED, QUOTED_CALL, QUOTE, NUMBER, OPEN_CURLY,
    CLOSE_CURLY, END_OF_TEXT, OTHER,
) = range(1, 24)  # fmt: skip

# The group that starts where the token starts.
START_GROUP = list(range(24))
for _call in (NAME_CALL, VARIABLE_CALL, SYMBOL_CALL, QUOTED_CALL):
    START_GROUP[_call] = _call - 1

NOT_A_TERM = frozenset((COMMA, CLOSE_ROUND, CLOSE_SQUARE, CLOSE_CURLY, BAR, END, END_OF_TEXT))

# Numbers that are not just digits. The alternatives stand so that the longest reading comes first.
NUMBER_FORMS = late(
    r"""0'(?P<char>\\(?:x[0-9a-fA-F]+\\?|[0-7]+\\?|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|''|[^\\])
    | 0x(?P<hex>[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)
    | 0o(?P<octal>[0-7]+(?:_[0-7]+)*)
    | 0b(?P<binary>[01]+(?:_[01]+)*)
    | (?P<radix>[0-9]+)'(?P<digits>[0-9a-zA-Z]+)
    | (?P<special>[0-9]+\.[0-9]+(?:Inf|NaN))
    | (?P<float>[0-9]+(?:(?:_\s*|[ ])[0-9]+)*\.[0-9]+(?:[eE][-+]?[0-9]+)?|[0-9]+[eE][-+]?[0-9]+)
    | (?P<decimal>[0-9]+(?:(?:_\s*|[ ])[0-9]+)*)""",
    re.VERBOSE | re.DOTALL,
)
SEPARATORS = late(r"[_\s]+")  # of groups of digits: `1_000`, or `1 000` with one blank
BASES = {"hex": 16, "octal": 8, "binary": 2, "decimal": 10}

QUOTES = "'\"`"
# What may stand between quotes, where a quote is doubled or escaped, and then the one that closes them, if it follows.
QUOTED_PART = {
    quote: late(
        rf"(?:[^{quote}\\]+|{quote}{quote}|\\(?:x[0-9a-fA-F]+\\?|[0-7]+\\?|.)){{0,1000}}({quote}(?!{quote}))?",
        re.DOTALL,
    )
    for quote in QUOTES
}
ESCAPE = late(
    r"""\\(?: x(?P<hex>[0-9a-fA-F]+)\\? | (?P<octal>[0-7]+)\\?
        | u(?P<short>[0-9a-fA-F]{4}) | U(?P<long>[0-9a-fA-F]{8})
        | (?P<nothing>\r?\n[ \t]*|c\s*) | (?P<letter>.) )
    | ''|""|``""",
    re.VERBOSE | re.DOTALL,
)
ESCAPED_LETTERS = {
    "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "s": " ", "t": "\t", "v": "\v",
    "\\": "\\", "'": "'", '"': '"', "`": "`",
}  # fmt: skip

COMMENT_EDGE = late(r"/\*|\*/")
# The first line from here on that has more than blanks before its comment.
AFTER_COMMENTS = late(r"^[^\S\n]*[^\s%]", re.MULTILINE)
NAME_RUN = late(f"{NAME_CHARS}+")


def start(token: re.Match[str]) -> int:
    """Where the token itself starts; the match includes the white space before it."""
    kind = token.lastindex
    assert kind is not None
    return token.start(START_GROUP[kind])


def plain_name(token: re.Match[str]) -> str | None:
    """The name of a token that may be an operator."""
    if token.lastindex == NAME or token.lastindex == SYMBOL:
        return token[token.lastindex]
    return None


def is_symbol(character: str) -> bool:
    """Whether it belongs to symbol atoms such as `=..` or `→`."""
    if character == "" or character in ",|()[]{}'\"`%!;_":
        return False
    return unicodedata.category(character)[0] in "SP"


def starts_word(character: str) -> bool:
    return character.isalpha() or is_symbol(character)


def short(text: str) -> str:
    """At most 40 characters of a text, for a message."""
    return text if len(text) <= 40 else text[:37] + "..."


def integer(digits: str, base: int = 10) -> int:
    """`int(digits, base)` for any length."""
    if len(digits) <= MAX_DIGITS or base in (2, 4, 8, 16, 32):
        return int(digits, base)
    half = len(digits) // 2
    shift: int = base ** (len(digits) - half)
    return integer(digits[:half], base) * shift + integer(digits[half:], base)


class Source:
    """A text, the places in it, and the tokens that `TOKEN` cannot see as a whole."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._counted = (0, 1, 0)  # an offset, the number of its line and where that line starts
        self._endless = array("q")  # starts of comments that have no end of their own, in order

    # --- places -------------------------------------------------------------------------------------------

    def position(self, offset: int) -> Position:
        counted, line, line_start = self._counted
        if offset < counted:
            counted, line, line_start = 0, 1, 0
        # Counting goes on from the place before, or a text of many terms would take quadratic time.
        newlines = self.text.count("\n", counted, offset)
        if newlines:
            line += newlines
            line_start = self.text.rfind("\n", counted, offset) + 1
        self._counted = (offset, line, line_start)
        return Position(self.file, line, offset - line_start + 1)

    def place(self, offset: int) -> str:
        position = self.position(offset)
        return f"line {position.line}, column {position.column}"

    def problem(self, message: str, offset: int, remedy: str = "") -> SyntaxProblem:
        return SyntaxProblem(message, self.position(offset), remedy)

    # --- tokens -------------------------------------------------------------------------------------------

    def peek(self, offset: int) -> re.Match[str]:
        """The first token from there on that is not a comment."""
        while True:
            token = TOKEN.match(self.text, offset)
            assert token is not None
            if token.lastindex != COMMENT:
                return token
            offset = self.comment_end(token.start(COMMENT))

    def run_end(self, at: int) -> int:
        """Where the letters and digits that start there end; one character is passed whatever it is."""
        run = NAME_RUN.match(self.text, at)
        return run.end() if run else at + 1

    def symbols_end(self, at: int) -> int:
        """Where the symbol atom that starts there ends."""
        while is_symbol(self.text[at : at + 1]):
            at += 1
        return at

    def number(self, at: int) -> tuple[int | float, int]:
        """The number that starts there, and where it ends."""
        # Some characters more, so that what is not too long is not read as if it ended early.
        form = NUMBER_FORMS.match(self.text, at, at + MAX_NUMBER + 10)
        assert form is not None  # there is a digit
        if form.end() > at + MAX_NUMBER:
            raise self.problem(f"this number is longer than {MAX_NUMBER:,} characters", at)
        kind = form.lastgroup
        assert kind is not None
        if kind == "char":
            return self._character(form["char"], at + 2), form.end()
        digits = SEPARATORS.sub("", form[kind])
        if kind == "float":
            value = float(digits)
            if value == float("inf"):
                raise self.problem(f"the number {short(digits)} is too large for a float", at)
            return value, form.end()
        if kind == "special":
            return float("nan" if digits.endswith("NaN") else "inf"), form.end()
        if kind != "digits":
            return integer(digits, BASES[kind]), form.end()
        radix = int(form["radix"]) if len(form["radix"]) < 3 else 0
        try:
            return integer(digits, radix if radix else -1), form.end()
        except ValueError:
            raise self.problem(
                f"{short(form[0])} is not a number", at, "radix'digits needs a radix of 2 to 36 and digits below it"
            ) from None

    def _character(self, text: str, at: int) -> int:
        """The code of the character in `0'c`."""
        if text in ("'", "''"):
            return ord("'")
        if text[0] != "\\":
            return ord(text)
        character = self._unescape("'", text, at)
        if len(character) != 1:
            raise self.problem(f"0'{short(text)} is not a character", at - 2)
        return ord(character)

    def quoted(self, at: int) -> tuple[str, int]:
        """What stands between the quotes that open there, and where the closing one ends."""
        end = self.quoted_end(at)
        return self._unescape(self.text[at], self.text[at + 1 : end - 1], at + 1), end

    def quoted_end(self, at: int) -> int:
        quote = self.text[at]
        begin, end = at, at + 1
        while end > begin:
            begin = end
            part = QUOTED_PART[quote].match(self.text, begin)
            assert part is not None
            end = part.end()
            if part.lastindex:
                return end
        kind = "atom" if quote == "'" else "string"
        raise self.problem(f"this quoted {kind} has no end", at, f"close it with {quote}, and double a {quote} inside")

    def _unescape(self, quote: str, body: str, at: int) -> str:
        """What this text, which starts there, means between these quotes."""
        if "\\" not in body:
            return body.replace(quote + quote, quote)

        def meaning(escape: re.Match[str]) -> str:
            kind = escape.lastgroup
            if kind is None:  # two quotes: one, if they are the same as the ones around
                return quote if escape[0][0] == quote else escape[0]
            if kind == "nothing":
                return ""
            if kind == "letter":
                if escape["letter"] in ESCAPED_LETTERS:
                    return ESCAPED_LETTERS[escape["letter"]]
                remedy = "write \\\\ for a backslash"
            else:
                code = int(escape[kind], 8 if kind == "octal" else 16)
                if code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
                    return chr(code)
                remedy = "the code is not that of a character"
            raise self.problem(f"unknown escape {short(escape[0])} in quotes", at + escape.start(), remedy)

        return ESCAPE.sub(meaning, body)

    def comment_end(self, at: int) -> int:
        """Where to go on after the comment, or the lines of comments, that start there."""
        if self.text[at] == "%":
            after = AFTER_COMMENTS.search(self.text, at + 1)
            return after.end() - 1 if after else len(self.text)
        first = self.text.find("*/", at + 2)
        if first < 0:
            raise self.problem("this comment has no end", at, "close it with */")
        if self.text.find("/*", at + 2, first + 1) < 0:
            return first + 2
        return self._nested_end(at) or first + 2

    def _nested_end(self, at: int) -> int:
        """Where the block comment ends if comments nest; 0 if it then has no end.

        To learn the latter takes all the rest of the text. It also tells which of the comments there have no
        end; they are remembered, so that a text full of them is not looked through again from each.
        """
        known = bisect_left(self._endless, at)
        endless = self._endless[known] if known < len(self._endless) else -1
        opened = array("q")
        for edge in COMMENT_EDGE.finditer(self.text, at):
            if edge[0] == "*/":
                opened.pop()
                if not opened:
                    return edge.end()
            elif edge.start() == endless:  # around one without an end there is no end either
                return 0
            else:
                opened.append(edge.start())
                if len(opened) > MAX_NESTING:
                    raise self.problem(f"comments are nested too deeply, more than {MAX_NESTING:,} times", at)
        self._endless = opened
        return 0
