#!/usr/bin/env bash
# Installs the agent programs that agents/package.json pins into .agents, and links them in .agents/bin.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

package='@anthropic-ai/claude-code'
version=$(sed -n "s|.*\"$package\": \"\([^\"]*\)\".*|\1|p" agents/package.json)
link=.agents/bin/claude

right_version() {
    [ "$("$1" --version 2>/dev/null)" = "$version (Claude Code)" ]
}

if right_version "$link"; then
    echo "Claude Code $version is in $link."
    exit 0
fi
if ! command -v npm >/dev/null; then
    echo "make agents needs npm, which comes with Node.js, and it is not on the path." \
        "The tests that need an agent program are skipped without it." >&2
    exit 1
fi

mkdir -p .agents/bin
cp agents/package.json .agents/package.json
# The install scripts only link the program, which comes whole in a package of its own for each platform.
npm install --prefix .agents --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error
for program in .agents/node_modules/"$package"-*/claude; do
    if right_version "$program"; then
        ln -sfn "../${program#.agents/}" "$link"
        echo "Claude Code $version is in $link."
        exit 0
    fi
done
echo "npm installed $package $version, but no program in .agents/node_modules/$package-* says that it is" \
    "$version. Is there a package for this platform ($(uname -sm))?" >&2
exit 1
