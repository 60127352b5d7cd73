/** A real agent in a real tmux pane, on a scripted model, whose server runs in the rehearsal. The test runs outside. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { paneAgent } from '../../src/agents/pane.ts';
import type { Script } from '../../src/rehearsal/script/script.ts';
import { tmuxAt } from '../../src/tmux/command.ts';
import { type Pane, paneAt } from '../../src/tmux/pane.ts';
import { agentState, type PaneAgent } from '../../src/tmux/ready.ts';
import { ON_DISK, testFolder } from '../support/folder.ts';
import { agentScene, PERMITTED } from './scene.ts';

const SOCKET = 'panes';
const SESSION = 'agent';
const LOOK_EVERY_MS = 50;

export interface RehearsedPane {
  readonly pane: Pane;
  readonly agent: PaneAgent;
  /** Resolves when the agent is in this state; throws with the last screen if the pane is gone before. */
  until(state: 'ready' | 'busy' | 'asking'): Promise<void>;
  /** All texts that the model was sent. */
  texts(): string[];
  tmux(...args: string[]): string;
  /** For the test's own files. */
  readonly folder: string;
  /** Where loops keep their journals: `$XDG_STATE_HOME`. */
  readonly state: string;
}

/** `setup` is a shell line that runs before the agent, with the rehearsal's variables and `$FRESH`, an empty folder. */
export async function rehearsedPane(
  programs: readonly string[],
  script: Script,
  command: readonly string[],
  setup = ':',
): Promise<RehearsedPane> {
  const [sockets, fresh] = [testFolder(ON_DISK), testFolder(ON_DISK)];
  const scene = agentScene(programs, { 'README.md': 'A project.\n' }, { TMUX_TMPDIR: sockets, FRESH: fresh });
  const [scriptFile, record] = [join(scene.folder, 'script.json'), join(scene.folder, 'requests.jsonl')];
  writeFileSync(scriptFile, JSON.stringify(script));
  const size = '-x 150 -y 50';
  const inPane = `${setup}; exec ${command.join(' ')}`;
  // The file says when the session exists: tmux 3.3a can crash if a client attaches while it is being created.
  const made = join(sockets, 'pane');
  const open = `new-session -d -P -F "#{pane_id}" -s ${SESSION} ${size} sh -c '${inPane}'`;
  const line = `tmux -u -L ${SOCKET} -f /dev/null ${open} >${made}.next && mv ${made}.next ${made} && tmux -L ${SOCKET} wait-for over`;
  const rehearsal = scene.ralphRehearse(['--script', scriptFile, '--record', record, '--', 'sh', '-c', line]);
  const env = { ...process.env, ...PERMITTED, TMUX: undefined, TMUX_TMPDIR: sockets };
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-u', '-L', SOCKET, ...args], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    tmux('kill-server');
    await rehearsal;
    while (scene.processes().length > 0) await sleep(LOOK_EVERY_MS);
    scene.remove();
  });

  const pane = paneAt(tmuxAt({ socket: SOCKET }, env), await firstPane(made, rehearsal));
  const agent = paneAgent(command.slice(command.findIndex((word) => !word.includes('=') && word !== 'env')));
  if (agent.screen === null) throw new Error(`${command.join(' ')} is not interactive`);
  return {
    pane,
    agent,
    tmux,
    folder: fresh,
    state: scene.state,
    async until(wanted) {
      for (let last = ''; ; await sleep(LOOK_EVERY_MS)) {
        const look = await pane.look().catch((error: unknown) => {
          throw new Error(`never ${wanted}; the last screen:\n${last}`, { cause: error });
        });
        last = `${look.title}\n${look.screen}`;
        if (agentState(agent, look).is === wanted) return;
      }
    },
    texts: () => (existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n').flatMap(textsIn) : []),
  };
}

/**
 * Types a text and returns once the agent's input line shows it: an Enter right behind the text would count as a line
 * break within a paste. The same words elsewhere on the screen do not count. Keys that a busy program lost are typed
 * again.
 */
export async function typeText({ pane, agent }: RehearsedPane, text: string): Promise<void> {
  const stands = async (): Promise<boolean> => {
    const state = agentState(agent, await pane.look());
    return 'input' in state && withoutBlanks(state.input) === withoutBlanks(text);
  };
  for (;;) {
    await pane.type(text);
    for (const end = Date.now() + TYPE_AGAIN_MS; Date.now() < end; await sleep(LOOK_EVERY_MS)) {
      if (await stands()) return;
    }
    await pane.press('C-u');
  }
}

const TYPE_AGAIN_MS = 10_000;

/** The screen breaks long lines. */
function withoutBlanks(text: string): string {
  return text.replaceAll(/\s/g, '');
}

async function firstPane(made: string, rehearsal: Promise<{ readonly stderr: string }>): Promise<string> {
  const early: string[] = [];
  void rehearsal.then(({ stderr }) => early.push(stderr));
  while (!existsSync(made)) {
    if (early.length > 0) throw new Error(`the rehearsal ended early: ${early.join('')}`);
    await sleep(LOOK_EVERY_MS);
  }
  return readFileSync(made, 'utf8').trim();
}

/** Every string in a line of JSON, at any depth. */
function textsIn(line: string): string[] {
  const texts: string[] = [];
  JSON.parse(line, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return texts;
}
