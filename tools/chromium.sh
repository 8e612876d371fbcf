#!/usr/bin/env bash
# Installs Debian's chromium for the browser tests where there is none; as root only.
set -euo pipefail

if command -v chromium >/dev/null; then
    exit 0
fi
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "There is no chromium, and only root on a Debian system can install it here." >&2
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes --no-install-recommends chromium
