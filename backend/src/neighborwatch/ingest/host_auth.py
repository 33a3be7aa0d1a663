"""Which host does a token belong to? Asked for every request, so remembered for a short while.

No limit per address here, as people's sign-in has: many agents share one (NAT, proxy), and one of
them with a revoked token must not lock the others out. A wrong token is remembered instead.
"""

import asyncio
import time
from collections import OrderedDict

from sqlalchemy.orm import Session, sessionmaker

from neighborwatch.access.queries import host_of_token
from neighborwatch.access.secrets import digest

# A revoked token works at most this much longer; a wrong one costs a query only this often.
REMEMBER_SECONDS = 30.0
_MAX_REMEMBERED = 100_000


class HostAuthenticator:
    """Used from the event loop only."""

    def __init__(self, factory: sessionmaker[Session]) -> None:
        self._factory = factory
        self._known: OrderedDict[bytes, tuple[int | None, float]] = OrderedDict()

    async def host_id(self, token: str) -> int | None:
        """None: no such token, or revoked. Database errors pass through."""
        key = digest(token)
        known = self._known.get(key)
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        host_id = await asyncio.to_thread(self._look_up, token)
        self._known[key] = (host_id, time.monotonic() + REMEMBER_SECONDS)
        self._known.move_to_end(key)
        if len(self._known) > _MAX_REMEMBERED:
            self._known.popitem(last=False)
        return host_id

    def _look_up(self, token: str) -> int | None:
        with self._factory() as session:
            return host_of_token(session, token)
