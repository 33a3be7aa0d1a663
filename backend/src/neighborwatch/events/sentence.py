"""An event in words. Pure."""

from collections.abc import Sequence

from neighborwatch.events.schemas import EventKind, EventShare

# More names than this make a list, not a sentence.
_NAMED = 3
_LEVELS = {"own": "its own quota", "ancestor": "a quota above its own cgroup", None: "a CFS quota"}


def sentence_of(
    kind: EventKind,
    victim: str,
    duration_seconds: float,
    cpu: int,
    shares: Sequence[EventShare],
    quota_level: str | None,
) -> str:
    if kind == "throttling":
        return f"{victim} was throttled for {_span(duration_seconds)} by {_LEVELS[quota_level]}."
    waited = f"{victim} waited {_span(duration_seconds)} for CPU {cpu}"
    ran = [f"{_who(share)} {_span(share.seconds)}" for share in shares[:_NAMED]]
    if len(shares) > _NAMED:
        rest = sum(share.seconds for share in shares[_NAMED:])
        ran.append(f"{len(shares) - _NAMED} others {_span(rest)}")
    return f"{waited}. Ran there meanwhile: {', '.join(ran)}." if ran else f"{waited}."


def _who(share: EventShare) -> str:
    return {"self": "itself", "idle": "nobody", "unattributed": "not known who"}.get(
        share.who, share.name
    )


def _span(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} us"
