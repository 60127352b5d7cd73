/** `swarm init`: instructions for a project's agents and, with `--with-sandbox`, a container for a loop's agent. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { ifThere, writeFile } from '../../process/files.ts';

interface InitFlags {
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly force?: boolean;
  readonly withSandbox?: boolean;
}

/** In the order in which one is chosen; if none exists, the first is created. */
const FILES = ['AGENTS.md', 'CLAUDE.md'] as const;
const HEADING = 'Process Management (swarm)';

const INSTRUCTIONS = `## ${HEADING}

Other agents and long commands run as named workers, alongside you, without blocking you.

\`\`\`bash
swarm spawn --name tests -- npm test              # a background process
swarm spawn --name helper --tmux -- claude        # an agent in a tmux window
swarm spawn --name feature --tmux --worktree -- claude   # with its own git worktree and branch
swarm ls                                          # who is there, who runs
swarm status helper                               # exit code: 0 running, 1 stopped, 2 not found
swarm peek helper                                 # its screen
swarm logs tests                                  # its output
swarm send helper "run the tests again"           # type into it
swarm wait --all --timeout 600                    # until they have ended
swarm kill helper                                 # end it; \`swarm clean helper\` forgets it
\`\`\`

- Work in a worktree is on the branch of the worker's name. Commit before you remove it: one with uncommitted work
  stays, unless \`--force-dirty\` is given.
- \`swarm <command> --help\` tells the flags.
`;

export function initCommand(swarm: Swarm, flags: InitFlags): void {
  addInstructions(swarm, flags);
  // Existing files belong to the user, and are never replaced.
  for (const [name, text] of flags.withSandbox === true ? Object.entries(SANDBOX_FILES) : []) {
    const path = join(swarm.cwd, name);
    if (existsSync(path)) swarm.say(`swarm: ${name} already exists, skipping`);
    else if (flags.dryRun === true) swarm.say(`Would create ${name}`);
    else {
      writeFile(path, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
      swarm.say(`Created ${name}`);
    }
  }
}

function addInstructions(swarm: Swarm, { dryRun = false, file, force = false }: InitFlags): void {
  const pathOf = (name: string): string => join(swarm.cwd, name);
  const textOf = (name: string): string | null => ifThere(() => readFileSync(pathOf(name), 'utf8'));
  const informed = (file === undefined ? FILES : [file]).find((name) => textOf(name)?.includes(HEADING));
  if (informed !== undefined && !force) {
    swarm.say(`swarm: ${informed} already contains swarm instructions`);
    return;
  }
  const target = file ?? informed ?? FILES.find((name) => textOf(name) !== null) ?? FILES[0];
  const before = textOf(target);
  const [did, would] = whatFor(target, before);
  swarm.say(dryRun ? `Would ${would}` : did);
  if (!dryRun) writeFile(pathOf(target), withInstructions(before));
}

function whatFor(file: string, before: string | null): readonly [string, string] {
  if (before === null) return [`Created ${file}`, `create ${file} with swarm agent instructions`];
  return before.includes(HEADING)
    ? [`Updated swarm instructions in ${file}`, `update swarm instructions in ${file}`]
    : [`Added swarm instructions to ${file}`, `append swarm instructions to ${file}`];
}

function withInstructions(before: string | null): string {
  const text = before?.trimEnd() ?? '';
  if (text === '') return INSTRUCTIONS;
  const lines = text.split('\n');
  const from = lines.findIndex((line) => /^#+\s/.test(line) && line.includes(HEADING));
  if (from < 0) return `${text}\n\n${INSTRUCTIONS}`;
  // The section ends where the next one of its own or a higher level begins.
  const level = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 2;
  const after = lines.slice(from + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}}\\s`).test(line));
  const head = lines.slice(0, from).join('\n').trimEnd();
  const tail = end < 0 ? '' : `\n${after.slice(end).join('\n')}\n`;
  return `${head === '' ? '' : `${head}\n\n`}${INSTRUCTIONS}${tail}`;
}

const SANDBOX = `#!/bin/sh
# Runs Claude Code in a container: it sees this folder and its git repository, and nothing else of the machine.
#   ./sandbox.sh [arguments of claude]
# SANDBOX_IMAGE, SANDBOX_NETWORK, MEMORY_LIMIT, CPU_LIMIT and PIDS_LIMIT change what the defaults below say.
set -eu
image=\${SANDBOX_IMAGE:-swarm-sandbox}
network=\${SANDBOX_NETWORK:-swarm-sandbox}
name="swarm-sandbox-$$"

if ! docker image inspect "$image" >/dev/null 2>&1; then
  echo "sandbox.sh: building the image $image" >&2
  docker build --build-arg USER_ID="$(id -u)" -t "$image" - <"$(dirname "$0")/Dockerfile.sandbox" >&2
fi
[ -n "\${ANTHROPIC_API_KEY:-}\${CLAUDE_CODE_OAUTH_TOKEN:-}" ] ||
  echo 'sandbox.sh: neither ANTHROPIC_API_KEY nor CLAUDE_CODE_OAUTH_TOKEN is set: Claude Code will ask for a login' >&2

set -- "$image" claude "$@"
# The repository of a worktree lies elsewhere. Every path is the same inside, so that git finds it.
if git=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null); then set -- -v "$git:$git" "$@"; fi
# A prompt that is piped in needs no terminal.
if [ -t 0 ]; then set -- -t "$@"; fi
# A client that is killed leaves its container running; what runs in the background would have nothing to read.
exec 3<&0
trap 'docker rm -f "$name" >/dev/null 2>&1 || true' EXIT
trap 'exit 143' HUP INT TERM
docker run --rm -i --init --name "$name" --network="$network" \\
  --memory="\${MEMORY_LIMIT:-8g}" --memory-swap="\${MEMORY_LIMIT:-8g}" --cpus="\${CPU_LIMIT:-4}" \\
  --pids-limit="\${PIDS_LIMIT:-512}" --cap-drop=ALL --security-opt=no-new-privileges \\
  -e ANTHROPIC_API_KEY -e CLAUDE_CODE_OAUTH_TOKEN -e GH_TOKEN -e DISABLE_AUTOUPDATER=1 \\
  -e GIT_AUTHOR_NAME="$(git config user.name || echo agent)" -e GIT_AUTHOR_EMAIL="$(git config user.email || echo agent@localhost)" \\
  -e GIT_COMMITTER_NAME="$(git config user.name || echo agent)" -e GIT_COMMITTER_EMAIL="$(git config user.email || echo agent@localhost)" \\
  -v "$PWD:$PWD" -w "$PWD" "$@" <&3 3<&- &
wait $! && exit 0 || exit $?
`;

const DOCKERFILE = `# The image that sandbox.sh runs. Add what your project needs to build and test.
FROM node:22-slim
RUN apt-get update \\
  && apt-get install -y --no-install-recommends ca-certificates curl git jq \\
  && rm -rf /var/lib/apt/lists/*
RUN npm install -g @anthropic-ai/claude-code
# Files that the agent makes belong to the user who built the image.
ARG USER_ID=1000
RUN userdel -r node && useradd -m -o -u "$USER_ID" agent
USER agent
ENV IS_SANDBOX=1
# Pushes to GitHub use GH_TOKEN; no key of yours is in here.
RUN git config --global credential.https://github.com.helper \\
  '!f() { echo username=x-access-token; echo "password=$GH_TOKEN"; }; f'
`;

const CHAIN = 'SWARM-SANDBOX';

const SETUP = `#!/bin/sh
# Makes the network of the sandbox: from there only name servers and the hosts below are reached, by HTTPS.
#   sudo ./setup-sandbox-network.sh [more hosts]
# Addresses change, and rules do not survive a reboot: run it again then.
set -eu
network=\${SANDBOX_NETWORK:-swarm-sandbox}
subnet=\${SANDBOX_SUBNET:-172.30.0.0/24}
[ "$(id -u)" = 0 ] || { echo 'setup-sandbox-network.sh: run it as root' >&2; exit 1; }

docker network inspect "$network" >/dev/null 2>&1 || docker network create --subnet "$subnet" "$network" >/dev/null
iptables -N ${CHAIN} 2>/dev/null || iptables -F ${CHAIN}
iptables -A ${CHAIN} -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT
iptables -A ${CHAIN} -p udp --dport 53 -j ACCEPT
iptables -A ${CHAIN} -p tcp --dport 53 -j ACCEPT
for host in api.anthropic.com github.com api.github.com "$@"; do
  addresses=$(getent ahostsv4 "$host" | cut -d' ' -f1 | sort -u)
  [ -n "$addresses" ] || echo "setup-sandbox-network.sh: $host has no address; it will not be reached" >&2
  for address in $addresses; do iptables -A ${CHAIN} -d "$address" -p tcp --dport 443 -j ACCEPT; done
done
iptables -A ${CHAIN} -j REJECT
iptables -C DOCKER-USER -s "$subnet" -j ${CHAIN} 2>/dev/null || iptables -I DOCKER-USER -s "$subnet" -j ${CHAIN}
echo "network $network ($subnet) is shut, except for what was named"
`;

const TEARDOWN = `#!/bin/sh
# Removes what setup-sandbox-network.sh has made.
#   sudo ./teardown-sandbox-network.sh
set -eu
network=\${SANDBOX_NETWORK:-swarm-sandbox}
subnet=\${SANDBOX_SUBNET:-172.30.0.0/24}
[ "$(id -u)" = 0 ] || { echo 'teardown-sandbox-network.sh: run it as root' >&2; exit 1; }

iptables -D DOCKER-USER -s "$subnet" -j ${CHAIN} 2>/dev/null || true
iptables -F ${CHAIN} 2>/dev/null || true
iptables -X ${CHAIN} 2>/dev/null || true
if docker network inspect "$network" >/dev/null 2>&1; then docker network rm "$network" >/dev/null; fi
echo "network $network is removed"
`;

const ORCHESTRATOR = `# Running the loop

A worker takes one task of IMPLEMENTATION_PLAN.md after the other, in a container; you watch, and change the plan.

\`\`\`bash
sudo ./setup-sandbox-network.sh                 # once, and after a reboot
export ANTHROPIC_API_KEY=...                    # or CLAUDE_CODE_OAUTH_TOKEN; GH_TOKEN lets it push

swarm spawn --name dev --ralph --prompt-file PROMPT.md --max-iterations 20 --done-pattern '(?m)^/done\\s*$' \\
  --prompt-via stdin --inactivity-timeout 1800 --detach -- ./sandbox.sh -p --dangerously-skip-permissions

swarm ralph status dev                          # how far it is
swarm ralph logs dev                            # its iterations
swarm logs dev                                  # what it says
git log --oneline -5                            # what it did
grep -c '\\[ \\]' IMPLEMENTATION_PLAN.md          # what is left

swarm ralph pause dev                           # finish this iteration, then wait
swarm ralph resume dev
swarm kill dev                                  # end it now
\`\`\`

- \`claude -p\` says nothing while it works: the inactivity timeout must be longer than a task takes.
- An iteration that ends with exit 137 ran out of memory: \`export MEMORY_LIMIT=12g\` and spawn again.
- A host that the agent may not reach is added with \`sudo ./setup-sandbox-network.sh packages.example.com\`.
`;

const PROMPT = `study CLAUDE.md and IMPLEMENTATION_PLAN.md and pick the most important incomplete task

IMPORTANT:

- do ONE task, then stop
- do not assume anything is implemented - verify by reading code
- if tests are missing, add them; run tests after changes
- mark the task as done in IMPLEMENTATION_PLAN.md
- commit and push when you are done
- if no task is left, print /done on a line of its own
`;

const SANDBOX_FILES = {
  'sandbox.sh': SANDBOX,
  'Dockerfile.sandbox': DOCKERFILE,
  'setup-sandbox-network.sh': SETUP,
  'teardown-sandbox-network.sh': TEARDOWN,
  'ORCHESTRATOR.md': ORCHESTRATOR,
  'PROMPT.md': PROMPT,
};
