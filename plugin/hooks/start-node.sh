# Sourced by the hook scripts when they need node: sets $node, or ends the hook without an error.

session=${CLAUDE_CODE_SESSION_ID:-}
case $session in *[!A-Za-z0-9_-]*) session= ;; esac

# Two copies of this plugin may be loaded. Only the one whose SessionStart hook ran last acts in this session: it has written its
# folder to a file. (A setting could not name the right one, because Claude Code may skip the hooks of either.) In runs that
# ralph starts, that file is ignored, because the agent could have written it: every copy acts.
tmp=${CLAUDE_CODE_TMPDIR:-/tmp}
acting=$tmp/ralph-acting-$session
if [ "${1:-}" != session-start ] && [ "${RALPH_GUARD:-}" != on ] && [ -n "$session" ] && [ -f "$acting" ] && [ -O "$acting" ] &&
  IFS= read -r plugin <"$acting" && [ -d "$plugin" ] && ! [ "$plugin" -ef "${0%/*}/.." ]; then
  exit 0
fi

# Claude Code is a native program and does not include node. A loop names the node that it runs on itself.
node=
for candidate in "${RALPH_NODE:-}" node "$HOME/.local/bin/node" "$HOME/.volta/bin/node" \
  "$HOME"/.nvm/versions/node/*/bin/node /opt/homebrew/bin/node /usr/local/bin/node; do
  if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
    node=$candidate
    break
  fi
done

if [ -z "$node" ]; then
  # Only the hook that creates the file shows the message, so that it appears once; not at SessionStart, where it would not be
  # displayed.
  if [ "${1:-}" != session-start ] && (set -C && : >"$tmp/ralph-no-node-${session:-$PPID}") 2>/dev/null; then
    printf '%s\n' '{"systemMessage":"ralph: node was not found on the PATH, so the hooks of the ralph plugin do nothing in this session. Install Node.js 20 or later, or name it in RALPH_NODE."}'
  fi
  exit 0
fi

# Our node must not get these variables: they slow down every start, or change what node does. The checks of a loop are the
# user's own programs and get them back.
[ -z "${NODE_EXTRA_CA_CERTS+set}" ] || export RALPH_KEPT_NODE_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
[ -z "${NODE_OPTIONS+set}" ] || export RALPH_KEPT_NODE_OPTIONS="$NODE_OPTIONS"
unset NODE_EXTRA_CA_CERTS NODE_OPTIONS
