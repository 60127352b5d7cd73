#!/bin/bash
# The loop that people write in a minute: the agent under a time limit, its tag, the checks, a commit.
# The task comes in variables: PROMPT or PROMPT_FILE, CHECKS (a line each), ITERATIONS, SECONDS_EACH.
checks_pass() {
  while IFS= read -r check; do
    [ -z "$check" ] || sh -c "$check" || return 1
  done <<<"$CHECKS"
}

for ((i = 1; i <= ITERATIONS; i++)); do
  if [ -n "$PROMPT_FILE" ]; then PROMPT=$(cat "$PROMPT_FILE"); fi
  said=$(timeout "$SECONDS_EACH" "$AGENT" -p "$PROMPT")
  if checks_pass; then
    git add --all
    git commit --quiet --message "Iteration $i"
    if [[ $said == *'<response>DONE</response>'* ]]; then exit 0; fi
  fi
done
exit 1
