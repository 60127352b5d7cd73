#!/bin/sh
# An agent that logs the key it was started with and the prompt it was given, then plays the shell lines of its scene:
# $SCENE/message when it is asked for a commit message, else $SCENE/play. Linked as `claude`, it can print its stream.
[ "$1" = --version ] && echo '1.2.3 (fake)' && exit
n=${RALPH_KEY%%/*}
# In a sandbox, coverage data cannot be written (see test/support/programs/program-coverage.ts).
[ -w "${NODE_V8_COVERAGE:-/}" ] || unset NODE_V8_COVERAGE
for prompt; do :; done
echo "agent $RALPH_KEY" >>"$SCENE/starts.log"
printf %s "$prompt" >"$SCENE/prompts/$(echo "$RALPH_KEY" | tr / -)"

# Logs that it is at the gate, and continues when the test opens the gate.
at_gate() {
  echo "at gate $RALPH_KEY" >>"$SCENE/starts.log"
  read -r _ <"$SCENE/gate"
}
claude_says() {
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\n' "$1"
}
claude_result() {
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","total_cost_usd":0.5}\n' "$1"
}

case "$RALPH_KEY" in
*/message/*) . "$SCENE/message" ;;
*) . "$SCENE/play" ;;
esac
