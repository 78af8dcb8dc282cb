"""The `gdl` command: `gdl` and `python -m gdl` run the program that `cargo install` installs."""

import signal
import sys

from ._gdl import command


def main() -> int:
    """Runs the command with the arguments of this process, and returns its exit code."""
    # Ctrl-C ends the command, which does not return to the interpreter while it works.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command([sys.executable, "-m", "gdl"], ["gdl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
