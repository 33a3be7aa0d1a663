"""The `neighborwatch` command."""


def main() -> None:
    raise SystemExit("neighborwatch: no command yet")
