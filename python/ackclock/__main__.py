"""The command `ackclock`."""

from __future__ import annotations

import sys

from ackclock import _core


def main() -> None:
    """Does what the command line asks for, and ends the process with its exit code."""
    sys.exit(_core.main(["ackclock", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
