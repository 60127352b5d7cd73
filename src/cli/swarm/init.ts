/** `swarm init`: instructions for the agents of a project. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { writeFile } from '../../process/files.ts';

interface InitFlags {
  readonly dryRun?: boolean;
  readonly file?: string;
  readonly force?: boolean;
  readonly withSandbox?: boolean;
}

/** In the order in which one is chosen; the first is made when none is there. */
const FILES = ['AGENTS.md', 'CLAUDE.md'] as const;
const HEADING = 'Process Management (swarm)';

const INSTRUCTIONS = `## ${HEADING}

Other agents and long commands run as named workers, beside you and without blocking you.

\`\`\`bash
swarm spawn --name tests -- npm test              # a background process
swarm spawn --name helper --tmux -- claude        # an agent in a tmux window
swarm spawn --name feature --tmux --worktree -- claude   # with a git worktree and branch of its own
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

export async function initCommand(swarm: Swarm, flags: InitFlags): Promise<void> {
  addInstructions(swarm, flags);
  if (flags.withSandbox === true) await addSandbox(swarm, flags.dryRun === true);
}

/** What is there is the user's by now, and is never replaced. */
async function addSandbox(swarm: Swarm, dryRun: boolean): Promise<void> {
  const { SANDBOX_FILES } = await import('./sandbox-files.ts');
  for (const { name, text, isProgram } of SANDBOX_FILES) {
    const path = join(swarm.cwd, name);
    if (existsSync(path)) swarm.say(`swarm: ${name} already exists, skipping`);
    else if (dryRun) swarm.say(`Would create ${name}`);
    else {
      writeFile(path, text, { mode: isProgram ? 0o755 : 0o644 });
      swarm.say(`Created ${name}`);
    }
  }
}

function addInstructions(swarm: Swarm, { dryRun = false, file, force = false }: InitFlags): void {
  const pathOf = (name: string): string => join(swarm.cwd, name);
  const textOf = (name: string): string | null =>
    existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : null;
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

/** What was done, and what would be. */
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
  // The section ends where the next one of its level, or of a higher one, begins.
  const level = /^#+/.exec(lines[from] ?? '')?.[0].length ?? 2;
  const after = lines.slice(from + 1);
  const end = after.findIndex((line) => new RegExp(`^#{1,${level}}\\s`).test(line));
  const head = lines.slice(0, from).join('\n').trimEnd();
  const tail = end < 0 ? '' : `\n${after.slice(end).join('\n')}\n`;
  return `${head === '' ? '' : `${head}\n\n`}${INSTRUCTIONS}${tail}`;
}
