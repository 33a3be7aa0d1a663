"""How long live windows are kept, and that they go."""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection, text

KEPT: Final = timedelta(seconds=120)


def prune_live(connection: Connection, *, now: datetime) -> None:
    """What has arrived too long ago to be shown, of all hosts. The table holds two minutes of the
    few hosts that somebody looks at, so rows are deleted here, unlike in the tables of facts.
    What another process is pruning is left to it: the two would wait for each other."""
    connection.execute(
        text(
            "DELETE FROM live_windows AS kept USING (SELECT host_id, t FROM live_windows"
            " WHERE received_at <= :oldest FOR UPDATE SKIP LOCKED) AS old"
            " WHERE kept.host_id = old.host_id AND kept.t = old.t"
        ),
        {"oldest": now - KEPT},
    )
