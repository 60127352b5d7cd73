# Read by the hooks' scripts, when node is needed: sets $node, or ends the hook in peace.

session=${CLAUDE_CODE_SESSION_ID:-}
case $session in *[!A-Za-z0-9_-]*) session= ;; esac

# Two copies of this plugin may be loaded. The one whose SessionStart hook was the last wrote down its folder, and it alone
# acts in this session; Claude Code itself may have left out the hooks of the other, so no setting could name the right one.
# In a run of the harness that file means nothing, because the agent could write it: there every copy acts.
tmp=${CLAUDE_CODE_TMPDIR:-/tmp}
acting=$tmp/ralph-acting-$session
if [ "${1:-}" != session-start ] && [ "${RALPH_GUARD:-}" != on ] && [ -n "$session" ] && [ -f "$acting" ] && [ -O "$acting" ] &&
  IFS= read -r plugin <"$acting" && [ -d "$plugin" ] && ! [ "$plugin" -ef "${0%/*}/.." ]; then
  exit 0
fi

# Claude Code is a native program and brings no node. A loop names the one that it runs on itself.
node=
for candidate in "${RALPH_NODE:-}" node "$HOME/.local/bin/node" "$HOME/.volta/bin/node" \
  "$HOME"/.nvm/versions/node/*/bin/node /opt/homebrew/bin/node /usr/local/bin/node; do
  if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
    node=$candidate
    break
  fi
done

if [ -z "$node" ]; then
  # The hook that makes the file says it, so that it is said once; not at the start, where it would not be shown.
  if [ "${1:-}" != session-start ] && (set -C && : >"$tmp/ralph-no-node-${session:-$PPID}") 2>/dev/null; then
    printf '%s\n' '{"systemMessage":"ralph: node was not found on the PATH, so the hooks of the ralph plugin do nothing in this session. Install Node.js 20 or later, or name it in RALPH_NODE."}'
  fi
  exit 0
fi

# Our node goes without these: they make every start slower, or something else altogether. The checks of a loop are the
# user's own, and get them back.
[ -z "${NODE_EXTRA_CA_CERTS+set}" ] || export RALPH_KEPT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
[ -z "${NODE_OPTIONS+set}" ] || export RALPH_KEPT_NODE_OPTIONS="$NODE_OPTIONS"
unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
