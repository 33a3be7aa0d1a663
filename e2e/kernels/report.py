"""What the guest's script printed -> how each of its steps ended. Pure."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    name: str  # "check", "test sched_test", "plan own_quota"
    status: int | None  # None: it never ended
    seconds: int
    text: str

    def count(self, word: str) -> int:
        """Of cmocka's lines: RUN, OK, SKIPPED, FAILED."""
        return len(re.findall(rf"^\[ +{word} +\] [a-z]", self.text, re.MULTILINE))


@dataclass(frozen=True, slots=True)
class Report:
    release: str
    steps: list[Step]
    is_whole: bool  # the script came to its end

    def named(self, kind: str) -> list[Step]:
        return [step for step in self.steps if step.name.split()[0] == kind]


def parse(text: str) -> Report:
    release = re.search(r"^== kernel (.+)$", text, re.MULTILINE)
    steps = []
    for part in re.split(r"^== begin ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = part.partition("\n")
        end = re.search(rf"^== end {re.escape(name)} (\d+) (\d+)$", rest, re.MULTILINE)
        body = rest[: end.start()] if end else rest
        steps.append(
            Step(name, int(end[1]) if end else None, int(end[2]) if end else 0, body.strip())
        )
    is_whole = re.search(r"^== done$", text, re.MULTILINE) is not None
    return Report(release[1] if release else "", steps, is_whole)
