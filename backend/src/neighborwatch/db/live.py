"""How long live windows are kept, and that they go."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, text

KEPT: Final = timedelta(seconds=120)


def prune_live(connection: Connection, *, now: datetime) -> None:
    """What has arrived too long ago to be shown, of all hosts. The table holds two minutes of the
    few hosts that somebody looks at, so rows are deleted here, unlike in the tables of facts."""
    connection.execute(
        text("DELETE FROM live_windows WHERE received_at <= :oldest"), {"oldest": now - KEPT}
    )
