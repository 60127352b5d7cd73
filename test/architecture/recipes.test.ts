/** Follows the recipes of CONTRIBUTING.md in a copy of the sources: the result type-checks, obeys all rules, works. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { EVEN_FILE, EVEN_LINE, EVEN_SOURCE, KINDS_FILE, LAST_LINE } from '../support/run/even-check.ts';
import { violations } from './edges.ts';
import { scan } from './scan.ts';

const root = join(import.meta.dirname, '../..');

const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

type Edit = readonly [from: string, to: string];

/** The files that each recipe changes: the text of a new file, or the replacements in an existing one. */
const RECIPES: Readonly<Record<string, Readonly<Record<string, string | readonly Edit[]>>>> = {
  'A kind of check': {
    [EVEN_FILE]: EVEN_SOURCE,
    [KINDS_FILE]: [[LAST_LINE, `${LAST_LINE}${EVEN_LINE}`]],
  },
  'A setting': {
    'src/config/schema.ts': [
      ['  agent,\n', "  greeting: z._default(text('Begins every prompt.'), 'Hello.'),\n  agent,\n"],
    ],
    'src/loops/run/inputs.ts': [
      ['  return {\n    prompt,\n', '  return {\n    prompt,\n    greeting: settings.greeting,\n'],
    ],
    'src/loops/run/state.ts': [
      ['  readonly prompt: string;\n', '  readonly prompt: string;\n  readonly greeting: string;\n'],
    ],
    'src/loops/run/rules.ts': [
      [
        'promptOfWork(state, inputs)',
        "promptOfWork(state, { ...inputs, prompt: [inputs.greeting, inputs.prompt].join(' ') })",
      ],
    ],
  },
  'A field of the status': {
    'src/state/registry.ts': [
      ['  readonly workedMs: Duration;\n', '  readonly workedMs: Duration;\n  readonly failed: number;\n'],
      ['    workedMs,\n', '    workedMs,\n    failed: state.failures,\n'],
      ['  workedMs: isNumber,\n', '  workedMs: isNumber,\n  failed: isNumber,\n'],
    ],
    'src/cli/loops/status.ts': [["    ['name', about.name", "    ['failed', String(loop.failed)],\n$&"]],
  },
  'The rule of back-off': {
    'src/core/faults/backoff.ts': [
      ['Math.min(2 ** (inARow - 1), LONGEST_PAUSE)', 'Math.min(3 ** inARow, LONGEST_PAUSE)'],
    ],
  },
  'A field of a record': {
    'src/core/record.ts': [['export interface InputsRead extends Heard {\n', '$&  readonly letters?: number;\n']],
    'src/loops/run/inputs.ts': [["kind: 'inputs', digest,", "kind: 'inputs', letters: prompt.length, digest,"]],
  },
  'A loop kind': {
    'src/loops/echo/rules.ts': `/** Starts an agent until it says OVER. */
import { loopMachine } from '../../core/machine/machine.ts';
import type { LoopRules, NoSteps } from '../../core/rules.ts';

export interface EchoRequest {
  readonly prompt: string;
}

export interface EchoData {
  readonly request: EchoRequest;
}

const echoRules: LoopRules<EchoData, NoSteps, EchoRequest> = {
  loopKind: 'echo',
  begin: (request) => ({ request }),
  takeInputs: (data) => data,
  limit: () => 3,
  agent: () => ({ command: 'agent', flags: [], mode: 'stream' }),
  prompt: ({ data }) => data.request.prompt,
  listen: () => ({ tag: 'response', multiline: false }),
  afterRun: ({ data }, _purpose, { said }) => ({
    data,
    go: said.tag === 'OVER' ? { to: 'end', ending: { kind: 'done' } } : { to: 'next-iteration' },
  }),
};

export const echoMachine = loopMachine(echoRules);
`,
    'src/loops/echo/loop.ts': `/** What the loop works with. */
import type { Driven } from '../../engine/drive.ts';
import { beginLoop, type Closing, type HostOptions, hostLoop, hostOf, type LoopWorld } from '../../engine/host.ts';
import { localPerformers, performerOf } from '../../engine/performers/performers.ts';
import { openSandbox } from '../../engine/sandbox.ts';
import { workState } from '../../scm/git.ts';
import { refusedLooks } from '../../state/paths.ts';
import { type EchoData, type EchoRequest, echoMachine } from './rules.ts';

const GRACE_MS = 5000;

export function runEcho(request: EchoRequest, cwd: string, options: HostOptions<EchoData>): Promise<Driven> {
  const { environment, self } = options;
  const loop = beginLoop(echoMachine, { loopKind: 'echo', cwd, options: request }, environment);
  const place = { loop: { id: loop.state.id, folder: loop.folder }, cwd, grace: GRACE_MS };
  const open = async (closing: Closing): Promise<LoopWorld> => {
    const where = { ...place, stateRoot: environment.root.path, self, agents: ['agent'] };
    const { host, runner } = await openSandbox(null, { ...where, host: hostOf(environment) });
    closing.add(() => runner.close());
    return {
      perform: performerOf({ ...localPerformers({ ...place, host, runner }), readInputs: () => ({ kind: 'inputs', digest: '' }) }),
      work: () => workState(cwd, host, refusedLooks(loop.folder)),
    };
  };
  return hostLoop(loop, { machine: echoMachine, resume: 'ralph echo resume', open }, options);
}
`,
    'src/loops/echo/closing.ts': `/** What is true at its end. */
import { type Clock, type ClosingSummary, describeLeft, endingDetails, type Left, type WorkState } from '../../core/closing/closing-summary.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { EchoData } from './rules.ts';

export function echoClosing(state: LoopState<EchoData>, left: Left, work: WorkState, clock: Clock): ClosingSummary {
  const { workedMs: durationMs, usage } = state;
  const said = describeLeft(left, startedIterations(state));
  return { ...said, durationMs, usage, red: [], details: endingDetails(left, clock), work, next: [] };
}
`,
    'src/cli/echo/console.ts': `/** Shows it: the agent on stdout, the loop on stderr. */
import { echoClosing } from '../../loops/echo/closing.ts';
import { echoMachine } from '../../loops/echo/rules.ts';
import type { EchoData } from '../../loops/echo/rules.ts';
import { leftBy, openConsole } from '../terminal/open-console.ts';
import { clockTime } from '../terminal/words.ts';
import type { LoopConsole, TerminalOptions } from '../terminal.ts';

export function echoConsole(options: TerminalOptions): LoopConsole<EchoData> {
  const { say, report, ready, showProgress, close, live } = openConsole(options, 'allow it in the flags of the agent');
  return {
    show(event) {
      if (event.type === 'progress') showProgress(event.event);
      else if (event.type === 'action' && event.action.do === 'start') say(\`Echo \${event.state.iteration}\`);
    },
    tell: report,
    ready,
    live,
    words: { limit: () => 3 },
    close: (driven, state, work) => close(echoMachine, state, [], echoClosing(state, leftBy(driven), work, clockTime)),
  };
}
`,
    'src/cli/echo/run.ts': `/** \`ralph echo run\`. */
import { readEnvironment } from '../../config/environment.ts';
import { runEcho } from '../../loops/echo/loop.ts';
import { self } from '../program/self.ts';
import { handleSignals } from '../terminal/signals.ts';
import { inTerminal, thisTerminal } from '../terminal.ts';
import { echoConsole } from './console.ts';

export function runCommand({ prompt }: { prompt: string }): Promise<number> {
  const environment = readEnvironment();
  const console = echoConsole(thisTerminal(environment));
  const around = { environment, self: self() };
  return inTerminal('echo', console, handleSignals(console.tell), (ports) =>
    runEcho({ prompt }, process.cwd(), { ...around, ...ports }),
  );
}
`,
    'src/cli/echo/program.ts': `/** The commands of \`ralph echo\`. */
import type { Command } from 'commander';
import { declare, exitWith } from '../program/declare.ts';

export function addEcho(echo: Command): void {
  declare(echo, 'run', 'Run the loop.')
    .requiredOption('-p, --prompt <text>', 'the task')
    .action(async (flags: { prompt: string }) => exitWith((await import('./run.ts')).runCommand(flags)));
}
`,
    'src/cli/program/programs.ts': [
      [
        "  await group('stories',",
        "  await group('echo', 'Run echo loops.', async (echo) => (await import('../echo/program.ts')).addEcho(echo));\n$&",
      ],
    ],
    'src/cli/terminal.ts': [["'job' | 'stories',", "'job' | 'stories' | 'echo',"]],
    'src/engine/left-behind/collect-loops.ts': [
      ["ONE_PER_DIRECTORY = ['stories',", "ONE_PER_DIRECTORY = ['stories', 'echo',"],
    ],
    'src/views/machines.ts': [
      ['  task: tasks,', "  echo: async () => (await import('../loops/echo/rules.ts')).echoMachine,\n$&"],
    ],
    'src/cli/loops/resume.ts': [
      ['  async swarm({', "  echo: async () => (await import('../echo/run.ts')).runCommand({ prompt: 'Again.' }),\n$&"],
    ],
  },
};

const AGENT = `#!/bin/sh
echo "$*" >>"$HOME/prompts"
if [ -e "$HOME/failed" ]; then echo "<response>DONE</response>"; else : >"$HOME/failed"; exit 1; fi
`;

test.each(Object.entries(RECIPES))(
  'the recipe for "%s" names every file that it touches, and how many',
  (title, files) => {
    const [, recipe = ''] =
      new RegExp(`^\\*\\*${title}\\.\\*\\*((?:.|\\n(?!\\n))*)`, 'm').exec(read('CONTRIBUTING.md')) ?? [];
    const touched = Object.keys(files).map((path) =>
      path.replace('/echo/', '/<kind>/').replace('/even.ts', '/<kind>.ts'),
    );
    expect(touched.filter((path) => !recipe.includes(`\`${path}\``))).toEqual([]);
    expect(recipe).toMatch(new RegExp(`\\b${NUMBERS[touched.length]} files?\\b`, 'i'));
  },
);

test('the result of the recipes type-checks, keeps the import rules, and works', async () => {
  const folder = testFolder();
  const at = (path: string): string => join(folder, path);
  cpSync(join(root, 'src'), at('src'), { recursive: true, filter: (path) => !path.endsWith('.test.ts') });
  for (const name of ['package.json', 'node_modules']) symlinkSync(join(root, name), at(name));
  const touched = Object.values(RECIPES).flatMap((files) => Object.entries(files));
  for (const [path, change] of touched) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(
      at(path),
      typeof change === 'string' ? change : change.reduce(replaced, readFileSync(at(path), 'utf8')),
    );
  }
  const { compilerOptions } = JSON.parse(read('tsconfig.json')) as { compilerOptions: object };
  writeFileSync(at('tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }));
  const tsc = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder], { encoding: 'utf8' });
  expect({ status: tsc.status, stdout: tsc.stdout }).toEqual({ status: 0, stdout: '' });
  expect(violations(touched.map(([path]) => scan(path, readFileSync(at(path), 'utf8'))))).toEqual([]);

  for (const name of ['bin', 'work/.ralph']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('bin/agent'), AGENT, { mode: 0o755 });
  writeFileSync(at('work/.ralph/settings.json'), '{"agent": {"command": "agent"}, "failureBackoffMs": 7}');
  const contents = "import { main } from './src/cli/main.ts'; await main('ralph');";
  const outfile = at('ralph.mjs');
  const bundle = { bundle: true, platform: 'node', format: 'esm', packages: 'external', logLevel: 'error' } as const;
  await build({ stdin: { contents, resolveDir: folder, loader: 'js' }, outfile, ...bundle });
  const { PATH = '' } = process.env;
  const env = { PATH: `${at('bin')}:${PATH}`, HOME: folder, XDG_STATE_HOME: at('state') };
  const ralph = (...args: string[]) =>
    spawnSync(process.execPath, [outfile, ...args], { cwd: at('work'), env, encoding: 'utf8' });

  expect(ralph('run', '-p', 'Do it.')).toMatchObject({ status: 0 });
  const [loop = ''] = readdirSync(at('state/ralph/loops'));
  const inLoop = (name: string): string => readFileSync(at(`state/ralph/loops/${loop}/${name}`), 'utf8');
  expect(readFileSync(at('prompts'), 'utf8')).toContain('Hello. Do it.');
  expect(JSON.parse(inLoop('status.json'))).toMatchObject({ iterations: 2, failed: 1 });
  expect(ralph('status').stdout).toMatch(/^ +failed +1$/m);
  expect(inLoop('journal.jsonl')).toContain('"letters":6');
  const times = inLoop('journal.jsonl')
    .split('\n')
    .flatMap((line) => (/"kind":"(?:ran|waited)"/.test(line) ? [(JSON.parse(line) as { at: number }).at] : []));
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(3 * 7);

  const echo = ralph('echo', 'run', '-p', 'Say it.');
  expect(echo).toMatchObject({ status: 1, stdout: expect.stringContaining('DONE') });
  expect(echo.stderr).toMatch(/Echo 1[\s\S]*Echo 3[\s\S]*Stopped at the limit of 3 iterations/);
});

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function replaced(text: string, [from, to]: Edit): string {
  expect(text).toContain(from);
  return text.replace(from, to);
}
