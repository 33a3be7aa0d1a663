"""The `neighborwatch` command: thin calls into the rooms. `neighborwatch --help` lists them."""

import argparse
import difflib
import json
import os
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from importlib.metadata import version

import uvicorn
from pydantic import ValidationError

from neighborwatch.access import queries
from neighborwatch.access.principal import Role
from neighborwatch.access.router import enrol_command
from neighborwatch.db.session import session_factory, transaction
from neighborwatch.http.logs import configure_logs
from neighborwatch.launch import credentials
from neighborwatch.launch.database import bring_up_to_date, database_url_of, opened
from neighborwatch.launch.errors import LaunchError
from neighborwatch.launch.supervisor import Run, RunOptions
from neighborwatch.launch.terminal import complain, say
from neighborwatch.main import create_app
from neighborwatch.settings import Settings, get_settings, setting_rows

# Read by others in the same environment: the agent, compose, tests.
_FOREIGN_PREFIXES = ("NW_AGENT_", "NW_REQUIRE_", "NW_POSTGRES_", "NW_ENROLL_", "NW_BIND", "NW_E2E_")

Command = Callable[[Settings, argparse.Namespace], None]


def main(arguments: Sequence[str] | None = None) -> None:
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        settings = get_settings()
    except ValidationError as error:
        for problem in error.errors():
            name = "_".join(str(part) for part in problem["loc"]).upper()
            complain(f"NW_{name.removeprefix('NW_')}: {problem['msg']}")
        sys.exit(2)
    _warn_about_unknown_settings()
    try:
        command(settings, options)
    except LaunchError as error:
        complain(str(error))
        sys.exit(1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neighborwatch",
        description="Tells noisy neighbors, CFS quotas and kernel locks apart on shared hosts.",
        epilog="Settings are environment variables: `neighborwatch settings` lists them.",
    )
    parser.add_argument("--version", action="version", version=version("neighborwatch"))
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Command, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.set_defaults(command=command)
        return added

    run = add("run", _run, "everything on this machine: database, backend, agent; Ctrl-C stops it")
    run.add_argument(
        "--with", dest="companion", metavar="PROGRAM", help="one more program to start and stop"
    )
    run.add_argument(
        "--oci-state-dir", metavar="DIR", help="where the agent also looks for container bundles"
    )
    add("serve", _serve, "the backend alone, on NW_DATABASE_URL")
    add("migrate", _migrate, "brings the database to the newest schema")
    add("sign-in-link", _sign_in_link, "prints a one-time link to sign in as admin")
    enrolment = add("enrolment-token", _enrolment_token, "prints a one-time token for one agent")
    enrolment.add_argument(
        "--ttl-hours", type=_hours, default=1, metavar="N", help="works this long (default 1)"
    )
    token = add("api-token", _api_token, "prints a new API token for a program")
    token.add_argument("--name", required=True, help="what it is for")
    token.add_argument(
        "--role", choices=[str(role) for role in Role], default="viewer", help="default: viewer"
    )
    add("openapi", _openapi, "prints the API's description")
    add("settings", _settings, "prints every NW_* variable, its default and its meaning")
    return parser


def _hours(text: str) -> int:
    hours = int(text)
    if not 1 <= hours <= 720:
        raise argparse.ArgumentTypeError("must be 1 to 720")
    return hours


def _warn_about_unknown_settings() -> None:
    known = [row.variable for row in setting_rows()]
    for name in os.environ:
        if name.startswith("NW_") and name not in known and not name.startswith(_FOREIGN_PREFIXES):
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else "`neighborwatch settings` lists them"
            complain(f"{name} is no setting and was ignored; {hint}")


def _run(settings: Settings, options: argparse.Namespace) -> None:
    Run(settings, RunOptions(options.companion, options.oci_state_dir)).main()


def _serve(settings: Settings, _options: argparse.Namespace) -> None:
    if settings.database.database_url is None:
        raise LaunchError(
            "NW_DATABASE_URL is not set. `neighborwatch run` brings a database of its own"
        )
    configure_logs(settings.server.log_level)
    with opened(settings.database.database_url, settings):
        pass  # a wrong URL is told in one line, before the server starts
    uvicorn.run(
        create_app(settings),
        host=settings.server.host,
        port=settings.server.port,
        log_config=None,
        access_log=False,
        server_header=False,
        # Longer than the agents' 10 s between requests, so that they keep their connection.
        timeout_keep_alive=65,
        timeout_graceful_shutdown=10,
    )


def _migrate(settings: Settings, _options: argparse.Namespace) -> None:
    with opened(database_url_of(settings), settings) as engine:
        say(f"schema is at revision {bring_up_to_date(engine, settings)}")


def _sign_in_link(settings: Settings, _options: argparse.Namespace) -> None:
    with (
        opened(database_url_of(settings), settings) as engine,
        transaction(session_factory(engine)) as session,
    ):
        link = credentials.sign_in_url(session, settings, settings.server.base_url)
    say(link)


def _enrolment_token(settings: Settings, options: argparse.Namespace) -> None:
    with (
        opened(database_url_of(settings), settings) as engine,
        transaction(session_factory(engine)) as session,
    ):
        token = queries.create_enrolment_token(
            session, now=datetime.now(UTC), ttl=timedelta(hours=options.ttl_hours)
        )
    say(token)
    if sys.stdout.isatty():
        say(f"\nOn the host:\n  {enrol_command(settings.server.base_url, token)}")


def _api_token(settings: Settings, options: argparse.Namespace) -> None:
    with (
        opened(database_url_of(settings), settings) as engine,
        transaction(session_factory(engine)) as session,
    ):
        token = queries.create_api_token(
            session, name=options.name, role=Role(options.role), now=datetime.now(UTC)
        )
    say(token)


def _openapi(settings: Settings, _options: argparse.Namespace) -> None:
    say(json.dumps(create_app(settings).openapi(), indent=2, ensure_ascii=False))


def _settings(_settings: Settings, _options: argparse.Namespace) -> None:
    rows = setting_rows()
    name_width = max(len(row.variable) for row in rows)
    default_width = max(len(row.default) for row in rows if len(row.default) <= 24)
    for row in rows:
        say(f"{row.variable:<{name_width}}  {row.default or '-':<{default_width}}  {row.meaning}")


if __name__ == "__main__":
    main()
