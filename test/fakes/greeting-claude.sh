#!/bin/sh
# A fake Claude Code for the examples of the documentation. Its first try at greet.js is wrong; it writes the right one
# once its prompt contains the failure of the test.
for prompt; do :; done

# Without -p it runs in a terminal, in a window of swarm.
case " $* " in
*' -p '* | *' --version '*) ;;
*) echo 'All tasks complete' && exit ;;
esac

says() {
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]}}\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","total_cost_usd":0.21}\n' "$1"
}

case "$*" in
--version) echo '2.1.325 (Claude Code)' ;;
*'commit message'*) says 'Greet strangers too' ;;
*)
  [ -z "${JRUN_TASK_FOLDER:-}" ] || echo done >"$JRUN_TASK_FOLDER/DONE"
  case "$prompt" in
  *'Hello, undefined'*) echo 'module.exports = (name) => `Hello, ${name ?? "stranger"}`;' >greet.js ;;
  *) echo 'module.exports = (name) => `Hello, ${name}`; // first try' >greet.js ;;
  esac
  says 'It should work now. <response>DONE</response>'
  ;;
esac
