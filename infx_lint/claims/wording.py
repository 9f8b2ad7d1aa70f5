"""The words around a claim: sentences, and what takes a number out of the present.

The marks are those of 642 judged comments: history, hypothesis, other sources, measurements.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from infx_lint.claims.pattern import Pattern
from infx_lint.documents.comment_blocks import CommentBlock

# A sentence ends with its mark before a blank, or where a paragraph or an item of a list begins.
_ENDS = Pattern(
    r"(?<=[.!?])\)?\s+(?=[^a-z\s])|\n\s*\n\s*|\n(?=\s*(?:[-*•]|\(?\d+[.)])\s)|\n(?=\s*#)"
)
_CLAUSES = Pattern(
    r":\s+|\s--\s|\s[\u2013\u2014]\s|;\s+|\s\(|\)[\s,.]|,\s+(?:and|but|which|so|while)\s"
)

_HISTORY = Pattern(
    r"\b(?:was|were|previous(?:ly)?|old|older|original(?:ly)?|used to|removed?|deleted|dropped|"
    r"former(?:ly)?|had|earlier|prior|no longer|replac(?:e[sd]?|ing)|instead of|rather than|"
    r"supersed\w+|reverted|historical(?:ly)?|initial(?:ly)?|failed|peaked|tried|tripped|broke|"
    r"as of)\b",
    re.IGNORECASE,
)
_HYPOTHESIS = Pattern(
    r"\b(?:if|would|could|might|may|consider|retry|unless|should|whether|lest|e\.g|example|such as|"
    r"expected|predict\w*|estimat\w*|cliffs?|knees?|crossover|can|cannot|\w+n't|never|without|not|no|nor|avoid\w*|let|lets|either|override|try|TODO|until)\b",
    re.IGNORECASE,
)
_FOREIGN = Pattern(
    r"\b(?:siblings?|mirror\w*|upstream|cookbook|reference|client|counterpart|"
    r"variant of|like|same as|unlike|against|compared|matches|companion|already)\b|"
    r"\b[A-Za-z0-9.]+['\u2019]s\s",
    re.IGNORECASE,
)
# Wherever they stand in the clause: it speaks of a tool, or of another file.
_ELSEWHERE = Pattern(
    r"\b(?:defaults?|versus|vs)\b|\b[\w.-]+\.(?:sh|py|md|json|jsonl|ya?ml)\b", re.IGNORECASE
)
_MEASURED = Pattern(
    r"\d\s?%|\b[GM]B/s|\btok/s|\b\d{8,}\b|\b(?:observed|measured|found|scored?|saw|showed|"
    r"throughput of|crash\w*|OOMs?|hang\w*|saturat\w*|regress\w*|improv\w*|faster|slower)\b",
    re.IGNORECASE,
)
_CONDITION = Pattern(
    r"\b(?:if|when|whenever|where|under|only|without|arms?|branch|case|points?|rows?|low|high|mid|"
    r"else|otherwise|except|"
    r"(?:TP|EP|DP|TEP|DEP)\d+|c\d+|dp-attn|dpa|attention[- ]dp|dp[- ]attention|"
    r"(?:at|for|with|on)\s+(?:conc\w*|TP|DP|DEP|the))\b|[<>≤≥]|\?",
    re.IGNORECASE,
)
_ATTENTION = Pattern(
    r"\b(?:DP[- ]?attn|dp[-_ ]attention|attention[- ]DP|DPA|DEP\d*)\b", re.IGNORECASE
)
# Code that was switched off: YAML and shell.
_CODE = Pattern(
    r"\s*(?:"
    r"#.*|[\w.-]+:\s*[\[{\"'].*|"
    r"(?:export\s+|local\s+|declare\s+)?[A-Za-z_]\w*\+?=(?:\S*|\"[^\"]*\"|'[^']*'|\(.*)\s*|"
    r"-\s+[\w-]+:(?:\s.*)?|-\s*[{\[\"].*|[\w.-]+:(?:\s+[^\s]+)?\s*|\"[^\"]+\":.*|"
    r"(?:if|elif|while|until)\s+(?:\[|!|\[\[|\(\().*|(?:fi|done|else|then|esac|do)\b\s*|"
    r"(?:apt-get|pip3?|python3?|bash|vllm|git|export|hf|curl|docker|srun|unset|set|echo|source)\s.*|"
    r"--[\w-]+(?:[= ]\S+)?\s*\\?|.*\\|[{}()\[\]],?\s*|.*\s--[\w-]+[= ]\S+.*\s--[\w-]+[= ]\S+.*"
    r")",
)


# The longest real sentence has 770 characters, the longest real comment 25 sentences. What is
# longer is no prose, and patterns cost more than its length.
MOST_CHARACTERS = 1_000
MOST_SENTENCES = 100


class Sentence(NamedTuple):
    """A sentence of a comment: offsets in the text of its block, the end exclusive."""

    text: str
    start: int
    end: int

    def place(self, match: re.Match[str], first: str | int = 0) -> tuple[int, int]:
        """Return where a match in the sentence, from one of its groups on, stands in the block."""
        return self.start + match.start(first), self.start + match.end()

    def clause(self, start: int, end: int) -> str:
        """Return the part of the sentence that a stretch of the block stands in."""
        return self.text[slice(*self._bounds(start, end))]

    def before(self, start: int, end: int) -> str:
        """Return what stands before a stretch in its clause."""
        return self.text[self._bounds(start, end)[0] : start - self.start]

    def _bounds(self, start: int, end: int) -> tuple[int, int]:
        """Return the clause of a stretch as offsets in the sentence."""
        first, last = 0, len(self.text)
        for match in _CLAUSES.finditer(self.text):
            if match.end() <= start - self.start:
                first = match.end()
            elif match.start() >= end - self.start:
                last = match.start()
                break
        return first, last

    def is_present(self, start: int, end: int) -> bool:
        """Tell whether a number there speaks of this file as it is."""
        clause = self.clause(start, end)
        return not (
            self.is_history(start, end)
            or self.is_foreign(start)
            or _ELSEWHERE.search(self._between_commas(start, end))
            or _MEASURED.search(clause)
        )

    def is_history(self, start: int, end: int) -> bool:
        """Tell whether words before a stretch put it into the past, or deny it."""
        before = self.before(start, end)
        outside = self.text[: start - self.start - len(before)]
        if outside.endswith("("):
            # What stands in brackets is said of what stands before them.
            before = outside + before
        return bool(_HISTORY.search(before) or _HYPOTHESIS.search(before))

    def _between_commas(self, start: int, end: int) -> str:
        first = self.text.rfind(", ", 0, start - self.start) + 1
        last = self.text.find(", ", end - self.start)
        part = self.text[first : last if last >= 0 else len(self.text)]
        clause = self.clause(start, end)
        return part if len(part) < len(clause) else clause

    def is_foreign(self, start: int) -> bool:
        """Tell whether words before a stretch say that it is about something else."""
        # A colon or a bracket leads on with what stands before it.
        return bool(_FOREIGN.search(self.text[: start - self.start]))

    def is_after_arrow(self, start: int) -> bool:
        """Tell whether a stretch stands in a table of branches: `true -> ...`."""
        return "->" in self.text[: start - self.start]

    def names_attention(self) -> bool:
        """Tell whether the sentence speaks of data-parallel attention."""
        return bool(_ATTENTION.search(self.text))

    def names_condition(self, start: int, end: int) -> bool:
        """Tell whether the clause says when a claim holds."""
        last = self._bounds(start, end)[1]
        outside = f"{self.before(start, end)} {self.text[end - self.start : last]}"
        return self.is_after_arrow(start) or bool(_CONDITION.search(outside))


def sentences(block: CommentBlock) -> list[Sentence]:
    """Return the sentences of a block; lines of code that was switched off are left out."""
    text = without_code(block.text)
    found, start = [], 0
    ends = [(match.start(), match.end()) for match in _ENDS.finditer(text)]
    for first, last in (*ends, (len(text), len(text))):
        if text[start:first].strip() and first - start <= MOST_CHARACTERS:
            found.append(Sentence(text[start:first], start, first))
        start = last
    return found[:MOST_SENTENCES]


def without_code(text: str) -> str:
    """Return a text of equal length with blanks in place of lines that are code."""
    return "\n".join(
        " " * len(line) if len(line) > MOST_CHARACTERS or _CODE.fullmatch(line) else line
        for line in text.split("\n")
    )
