"""What ingest tests share: who sends, and how much a metric grew."""

from collections.abc import Callable
from dataclasses import dataclass

from httpx2 import Response
from prometheus_client import REGISTRY


@dataclass(frozen=True)
class EnrolledHost:
    host_id: int
    token: str


EnrolHost = Callable[[str], EnrolledHost]
Send = Callable[..., Response]


class Counted:
    """How much a metric grew since this was made."""

    def __init__(self, name: str, **labels: str) -> None:
        self._name, self._labels = name, labels
        self._before = self._read()

    def _read(self) -> float:
        return REGISTRY.get_sample_value(self._name, self._labels) or 0.0

    @property
    def growth(self) -> float:
        return self._read() - self._before
