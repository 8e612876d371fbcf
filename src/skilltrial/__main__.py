"""`python -m skilltrial`."""

from __future__ import annotations

from skilltrial.cli.app import main

if __name__ == "__main__":
    main()
