#!/usr/bin/env bash
# Makes .venv: the locked packages, then this project, editable.
#
#   tools/environment.sh [PYTHON]
#
# Without PYTHON the first one on the path that is new enough is taken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wanted=${1:-}
venv=.venv

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    local name
    for name in ${wanted:-python3 python3.13 python3.12 python3.11}; do
        if new_enough "$name"; then
            echo "$name"
            return
        fi
    done
    local found
    found=$("${wanted:-python3}" --version 2>/dev/null) || found="not there"
    echo "skilltrial needs Python 3.11 or newer, and ${wanted:-python3} is $found." \
        "Install a newer one, or name one: make PYTHON=python3.12 …" >&2
    return 1
}

usable() {
    [ -x "$venv/bin/python" ] && new_enough "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1
}

if ! usable; then
    python=$(find_python)
    if ! "$python" -m venv --clear "$venv"; then
        echo "$python cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2
        exit 1
    fi
fi
echo "Installing the locked packages into $venv; the first time this takes about a minute."
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
"${pip[@]}" --require-hashes --requirement requirements.lock
"${pip[@]}" --no-deps --no-build-isolation --editable .
