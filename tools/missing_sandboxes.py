#!/usr/bin/env python3
"""missing_sandboxes.py: print the levels of sandbox that do not hold on this machine, and why, on standard error."""

from __future__ import annotations

import os
import sys

from skilltrial import wiring

missing = [sandbox for sandbox in wiring.sandboxes(dict(os.environ)) if sandbox.confinement is None]
for sandbox in missing:
    sys.stderr.write(f"{sandbox.level}: {sandbox.detail}\n")
sys.stdout.write(" ".join(sandbox.level for sandbox in missing))
