# Sourced by the scripts beside it, which set $self to their real path. `stories <verb> <arguments…>` runs `ralph stories`, from
# this plugin or from the PATH.
stories() {
  bundled=${self%/*}/../cli/stories.cjs
  if [ -f "$bundled" ] && command -v "${RALPH_NODE:-node}" >/dev/null 2>&1; then
    exec "${RALPH_NODE:-node}" "$bundled" "$@"
  fi
  if command -v ralph >/dev/null 2>&1; then
    exec ralph stories "$@"
  fi
  echo "error: found neither Node.js, which the plugin's own program needs, nor the ralph command" >&2
  echo "hint: install Node.js 20 or later, or run: npm install -g ralph-harness" >&2
  exit 2
}
