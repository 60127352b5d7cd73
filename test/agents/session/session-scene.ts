/** Claude Code with the ralph plugin, headless, one call after the other in one folder: sessions can be resumed. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import { type AgentScene, agentScene } from '../scene.ts';

const PLUGIN = resolve(import.meta.dirname, '../../../plugin');
const FLAGS = ['--plugin-dir', PLUGIN, '--output-format', 'stream-json', '--verbose'];
const ALL_ALLOWED = '--dangerously-skip-permissions';

export interface ClaudeSession {
  readonly scene: AgentScene;
  /** Each call is one `claude -p`; one that begins with `sh:` is a line of shell instead. */
  play(script: Script, ...calls: readonly (readonly string[])[]): Promise<Played>;
  /** The log of the session's last loop. */
  log(session?: string): string;
  folder(session?: string): string;
}

export interface Played {
  /** What the user was shown: notices of hooks, and commands that a hook answered. */
  readonly notices: readonly string[];
  /** The final text of each call. */
  readonly results: readonly string[];
  /** All texts sent to the model, request by request. */
  readonly asked: readonly string[];
  readonly unplayed: number;
}

export const SESSION = '11111111-2222-4333-8444-555555555555';

/** `permissions`: the flags that say what the agent may do. */
export function claudeSession(
  programs: readonly string[],
  env: Readonly<Record<string, string>> = {},
  permissions: readonly string[] = [ALL_ALLOWED],
): ClaudeSession {
  const scene = agentScene(programs, { 'notes.txt': '' }, env);
  const loops = join(scene.state, 'ralph/loops');
  const folder = (session = SESSION) =>
    join(
      loops,
      readdirSync(loops)
        .filter((name) => name.includes(session))
        .sort()
        .at(-1) ?? 'none',
    );
  return {
    scene,
    folder,
    log: (session) => readFileSync(join(folder(session), 'loop.log'), 'utf8'),
    async play(script, ...calls) {
      const [file, steps, record] = ['script.json', 'steps.sh', 'asked.jsonl'].map((name) =>
        join(scene.folder, name),
      ) as [string, string, string];
      writeFileSync(file, JSON.stringify(script));
      writeFileSync(steps, calls.map((call) => lineOf(call, permissions)).join('\n'));
      const { stdout, stderr } = await scene.ralphRehearse(['--script', file, '--record', record, '--', 'sh', steps]);
      const lines = stdout
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
      return {
        notices: lines.filter(({ subtype }) => subtype === 'informational').map(({ content }) => String(content)),
        results: lines.filter(({ type }) => type === 'result').map(({ result }) => String(result)),
        asked: existsSync(record) ? askedIn(record) : [],
        unplayed: Number(/(\d+) left/.exec(stderr)?.[1] ?? 0),
      };
    },
  };
}

function lineOf([first = '', ...rest]: readonly string[], permissions: readonly string[]): string {
  if (first === 'sh:') return rest.join(' ');
  return ['claude', '-p', first, ...FLAGS, ...permissions, ...rest].map(quoted).join(' ');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** The messages of each request as one unescaped text. */
function askedIn(record: string): string[] {
  return readFileSync(record, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { body?: { messages?: unknown } })
    .flatMap(({ body }) => (body?.messages === undefined ? [] : [textsIn(body.messages).join('\n')]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [];
  return Object.values(value).flatMap(textsIn);
}
