"""Commands end with one clear line and the right code."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from neighborwatch.cli import main
from neighborwatch.settings import get_settings, setting_rows


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


Command = Callable[..., Ran]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Runs the command line in this process, with no NW_* variable but those given."""
    for name in list(os.environ):
        if name.startswith("NW_"):
            monkeypatch.delenv(name)

    def run(*arguments: str, **settings: str) -> Ran:
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        get_settings.cache_clear()
        code = 0
        try:
            main(arguments)
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            get_settings.cache_clear()
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run


def test_help_lists_the_commands(command: Command) -> None:
    ran = command("--help")
    assert ran.returncode == 0
    for name in ("run", "serve", "migrate", "sign-in-link", "openapi", "settings"):
        assert name in ran.stdout


def test_settings_prints_every_variable_with_its_meaning(command: Command) -> None:
    ran = command("settings")
    for row in setting_rows():
        assert row.variable in ran.stdout
        assert row.meaning, row.variable
    assert len(ran.stdout.splitlines()) == len(setting_rows())


def test_the_description_needs_no_database(command: Command) -> None:
    described = json.loads(command("openapi").stdout)
    assert "/api/v1/hosts" in described["paths"]
    assert "/api/v1/ingest" in described["paths"]


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"NW_PORT": "x"}, "NW_PORT: "),
        ({"NW_PORT": "70000"}, "NW_PORT: "),
        ({"NW_LOG_LEVEL": "loud"}, "NW_LOG_LEVEL: "),
        ({"NW_INGEST_WRITERS": "0"}, "NW_INGEST_WRITERS: "),
    ],
)
def test_a_bad_setting_is_named(command: Command, settings: dict[str, str], said: str) -> None:
    ran = command("migrate", **settings)
    assert ran.returncode == 2
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"neighborwatch: {said}")


def test_a_misspelt_setting_is_not_silent(command: Command) -> None:
    assert "NW_PROT is no setting and was ignored; did you mean NW_PORT?" in (
        command("settings", NW_PROT="1").stderr
    )


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://a/b", "only postgresql:// is supported"),
        ("nonsense", "is not a URL"),
        ("postgresql://u:secret@127.0.0.1:1/x", "does not answer"),
    ],
)
def test_a_database_that_cannot_be_used_is_told_without_its_password(
    command: Command, url: str, said: str
) -> None:
    ran = command("migrate", NW_DATABASE_URL=url)
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert said in line
    assert "secret" not in line


def test_serve_says_that_it_needs_a_database(command: Command) -> None:
    ran = command("serve")
    assert ran.returncode == 1
    assert "NW_DATABASE_URL is not set" in ran.stderr


def test_without_a_database_a_link_says_what_to_start(command: Command, tmp_path: Path) -> None:
    ran = command("sign-in-link", NW_DATA_DIR=str(tmp_path))
    assert ran.returncode == 1
    assert "make run" in ran.stderr


def test_migrate_links_and_tokens_on_a_given_database(command: Command, database_url: str) -> None:
    assert command("migrate", NW_DATABASE_URL=database_url).stdout.startswith("schema is at")
    link = command("sign-in-link", NW_DATABASE_URL=database_url, NW_PUBLIC_URL="https://nw.test/")
    assert link.stdout.startswith("https://nw.test/sign-in#token=nwl_")
    token = command("enrolment-token", NW_DATABASE_URL=database_url)
    assert token.stdout.startswith("nwe_")
    assert len(token.stdout.splitlines()) == 1
    made = command("api-token", "--name", "prom", "--role", "metrics", NW_DATABASE_URL=database_url)
    assert made.stdout.startswith("nwt_")


def test_an_unknown_role_or_command_ends_with_2(command: Command) -> None:
    assert command("api-token", "--name", "x", "--role", "god").returncode == 2
    assert command("dance").returncode == 2
