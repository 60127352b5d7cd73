#!/bin/sh
# An agent that does one step of three per run, and logs the key of each start. It leaves a process behind.
echo "agent $RALPH_KEY $RALPH_ATTEMPT" >>"$ORACLE"
case "$1" in
*"commit message"*)
  echo "reach $(tail -n 1 steps)"
  exit 0
  ;;
esac
setsid sleep 600 >/dev/null 2>&1 &
sleep 0.04
done=$(grep -c step steps)
if [ "$done" -lt 3 ]; then
  { cat steps; echo "step $((done + 1))"; } >.steps.next
  mv .steps.next steps
fi
sleep 0.03
echo "now at $(tail -n 1 steps)"
[ "$(grep -c step steps)" -ge 3 ] && echo "<response>DONE</response>"
exit 0
