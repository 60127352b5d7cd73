#!/bin/bash
# Sets up a Docker Sandbox by hand, the way `ralph` does it on its own: links the login to the folder that outlives the sandbox,
# and gives git a name for commits. Run it once after `docker sandbox create --name <name> claude <project> ~/.dclaude_state`:
#
#   docker sandbox exec -i -u root <name> bash < sandbox/setup.sh
#
# The script finds the shared folder with the login; if there are several, name one: … bash -s -- <folder> < sandbox/setup.sh
set -eu
state=${1:-}
if [ -z "$state" ]; then
  for candidate in /Users/*/.dclaude_state /home/*/.dclaude_state /root/.dclaude_state; do
    if [ -d "$candidate" ]; then state=$candidate; fi
  done
fi
if [ -z "$state" ]; then
  echo "error: the folder with the login (.dclaude_state) is not shared with this sandbox" >&2
  exit 1
fi
rm -rf /home/agent/.claude /home/agent/.claude.json
ln -s "$state/.claude" /home/agent/.claude
ln -s "$state/.claude.json" /home/agent/.claude.json
git config --file /home/agent/.gitconfig user.email ralph@localhost
git config --file /home/agent/.gitconfig user.name "Ralph Loop"
chown -h agent:agent /home/agent/.claude /home/agent/.claude.json /home/agent/.gitconfig 2>/dev/null || true
