#!/usr/bin/env bash
# Puts an example skill on trial: `skilltrial run` with the given arguments and the local model. Where the model cannot
# be downloaded, recorded trials are replayed instead; any other failure is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

status=0
tools/local_model.sh || status=$?
case $status in
    0)
        exec .venv/bin/skilltrial run "$@"
        ;;
    75)
        echo "Showing RECORDED trials instead of a live run." >&2
        exec .venv/bin/skilltrial demo --workspace demo-workspace/recorded
        ;;
    *)
        exit "$status"
        ;;
esac
