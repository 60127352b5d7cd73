#!/bin/sh
# A fake Claude Code with a plugin: calls the plugin's hooks as the real one does, with a compaction, a stop without the
# promise and one with it. Writes their answers to $ANSWERS, and its own environment to $ANSWERS.env.
while [ $# -gt 0 ]; do
  case $1 in --session-id) session=$2 ;; --plugin-dir) hooks=$2/hooks ;; esac
  shift
done
env -0 >"$ANSWERS.env"
export CLAUDE_CODE_SESSION_ID="$session"
call() {
  script=$1 args=$2 event=$3
  printf '{"session_id":"%s","cwd":"%s",%s}' "$session" "$PWD" "$event" | "$hooks/$script" $args >>"$ANSWERS"
}
call session-loop.sh 'context plugin' '"hook_event_name":"SessionStart","source":"compact"'
call stop.sh '' '"hook_event_name":"Stop","last_assistant_message":"no"'
call stop.sh '' '"hook_event_name":"Stop","last_assistant_message":"<promise>DONE</promise>"'
