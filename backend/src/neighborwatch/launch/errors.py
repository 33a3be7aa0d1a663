"""Why a command cannot do its work, in one line that says what to do."""


class LaunchError(RuntimeError):
    pass
