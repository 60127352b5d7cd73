/** The last lines on an 80×24 screen after a newcomer's mistake: one red line with what was meant and where to look. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene, type Scene } from '../../support/scene.ts';
import { openTerminal } from '../../support/terminal/terminal.ts';

interface Mistake {
  readonly line: string;
  /** The last lines of the screen. */
  readonly says: readonly string[];
  /** Shell code that runs before it. */
  readonly first?: string;
}

const SEE_RUN = 'see: ralph run --help';

const MISTAKES: readonly Mistake[] = [
  {
    line: 'ralph run --max-iteration 3',
    says: ['error: there is no flag --max-iteration; did you mean --max-iterations?', SEE_RUN],
  },
  {
    line: 'ralph resume --agent codex',
    says: [
      'error: ralph resume has no --agent: a loop keeps its agent; use ralph run',
      '  --agent to start a new loop',
      'see: ralph resume --help',
    ],
  },
  {
    line: 'ralph stories resume -m 20',
    says: [
      'error: ralph stories resume has no -m: in ralph stories -m is the model, which a',
      '  loop keeps; use -n, --max-iterations for the limit',
      'see: ralph stories resume --help',
    ],
  },
  {
    line: 'ralph rm k3x9',
    says: ['error: there is no command rm; did you mean ralph gc?', 'see: ralph --help'],
  },
  {
    line: 'ralph run fix the tests',
    says: ['error: put the prompt in quotes', 'hint: For example: ralph run "fix the tests"'],
  },
  { line: 'ralph run --promt x', says: ['error: there is no flag --promt; did you mean --prompt?', SEE_RUN] },
  { line: 'ralph --promt x', says: ['error: there is no flag --promt; did you mean --prompt?', SEE_RUN] },
  {
    line: 'ralph run -p x -n 5',
    says: ['error: there is no flag -n; did you mean -m, --max-iterations?', SEE_RUN],
  },
  {
    line: 'ralph run -p x --maxIterations=5',
    says: ['error: there is no flag --maxIterations; did you mean --max-iterations?', SEE_RUN],
  },
  {
    line: 'ralph run -p x --review-cap 3',
    says: ['error: ralph run has no flag --review-cap; ralph stories run has it', SEE_RUN],
  },
  {
    line: 'ralph run -p x --done-pattern x',
    says: ['error: ralph run has no flag --done-pattern; swarm spawn has it', SEE_RUN],
  },
  { line: 'ralph run -p x --frobnicate', says: ['error: there is no flag --frobnicate', SEE_RUN] },
  {
    line: 'ralph run -p x -m abc',
    says: ['error: -m, --maximum-iterations must be a positive integer such as 10, got "abc"', SEE_RUN],
  },
  {
    line: 'ralph run -p x --sandbox dokcer',
    says: ['error: --sandbox must be docker, os or auto; did you mean docker?', SEE_RUN],
  },
  {
    line: 'ralph run --sandbox "fix the tests"',
    says: ['error: --sandbox must be docker, os or auto; put it after the prompt', SEE_RUN],
  },
  { line: 'ralph run -m', says: ['error: -m, --maximum-iterations needs a value: <n>', SEE_RUN] },
  { line: 'ralph run -p x -q -V', says: ['error: -q, --quiet and -V, --verbose cannot be used together', SEE_RUN] },
  { line: 'ralph rnu', says: ['error: there is no command rnu; did you mean ralph run?', 'see: ralph --help'] },
  {
    line: 'ralph task rnu',
    says: ['error: there is no command rnu; did you mean ralph task run?', 'see: ralph task --help'],
  },
  {
    line: 'swarm ralph staus agent',
    says: ['swarm: error: there is no command staus; did you mean swarm ralph status?', 'see: swarm ralph --help'],
  },
  {
    line: 'swarm spawn --nmae x',
    says: ['swarm: error: there is no flag --nmae; did you mean --name?', 'see: swarm spawn --help'],
  },
  {
    line: 'ralph help rnu',
    says: ['error: there is no command rnu; did you mean ralph run?', 'see: ralph --help'],
  },
  {
    line: 'ralph ls here',
    says: ['error: ralph ls takes no arguments; "here" is one too many', 'see: ralph ls --help'],
  },
  {
    line: 'ralph completion',
    says: ['error: ralph completion needs <shell>: bash, zsh or fish', 'see: ralph completion --help'],
  },
  {
    line: 'ralph tell k3x9 use postgres',
    says: ['error: put what you want to say in quotes', 'hint: For example: ralph tell k3x9 "use postgres"'],
  },
  {
    line: 'ralph session -p x -- vim',
    says: [
      'error: ralph session starts Claude Code, not vim',
      'hint: For codex, gemini or opencode: ralph install-hooks <agent>',
    ],
  },
  {
    line: 'ralph run -p x',
    first: `echo '{"agnet": {"command": "claude"}}' >.ralph/settings.json`,
    says: [
      'error: agent.command must be configured in settings file',
      '.ralph/settings.json:1:2: unknown key agnet (did you mean "agent"?)',
      'hint: Fix .ralph/settings.json, or run `ralph init` to create a new one.',
    ],
  },
  {
    line: 'ralph run -p x --allow-host example.com',
    says: [
      'error: "example.com" needs a sandbox, and there is none',
      'hint: Add --sandbox=os (or --sandbox, which is Docker).',
    ],
  },
  {
    line: 'ralph run -p x',
    first: String.raw`printf '{\n  "agent": {"command": "claude"},\n}\n' >.ralph/settings.json`,
    says: [
      'error: .ralph/settings.json:2:33: remove the comma after the last value',
      '  2 |   "agent": {"command": "claude"},',
      '    |                                 ^',
      'hint: Fix .ralph/settings.json, or run `ralph init` to create a new one.',
    ],
  },
];

describe('the last lines', () => {
  test.each(MISTAKES)('$line', async ({ line, first = ':', says }) => {
    const scene = makeScene({ play: 'echo' });
    const { code, screen } = await ended(scene, `${first}; ${line}`);
    expect(screen.split('\n').slice(-says.length)).toEqual(says);
    expect(screen).not.toContain('Usage:');
    expect(code).toBe(2);
    expect(scene.starts()).toEqual([]);
  });

  test('a misspelt agent is recognised', async () => {
    const scene = makeScene({ play: 'echo', settings: { agent: { command: 'cluade' } } });
    const { code, screen } = await ended(scene, 'ralph run -p x');
    expect(screen).toContain('agent command not found: cluade; did you mean claude?');
    expect(screen.split('\n').slice(-3).join(' ')).toMatch(
      /^error: agent command not found: cluade; did you mean claude\? hint: /,
    );
    expect(code).toBe(2);
  });

  test('an unknown loop: the newest ones are named', async () => {
    const scene = makeScene({ play: 'echo "<response>DONE</response>"' });
    await scene.run();
    const short = scene.loops()[0]?.slice(-8, -4);
    const { code, screen } = await ended(scene, 'ralph resume nosuch');
    expect(screen.split('\n').slice(-2)).toEqual([
      'error: there is no loop "nosuch" on this machine',
      `hint: The newest loops here: ${short}. To see all of them: ralph ls --all`,
    ]);
    expect(code).toBe(2);
  });
});

test('a list of stories that is still the template: the hint says how to fill it in', async () => {
  const scene = makeScene({ play: 'echo', agent: 'claude' });
  const { code, screen } = await ended(scene, 'ralph stories init >/dev/null; ralph stories run --no-sandbox');
  const [fact, hint] = screen
    .replaceAll(/\n {2}(?=\S)/g, ' ')
    .split('\n')
    .slice(-2);
  expect(fact).toBe('error: ralph/tasks.json is still the template: no story is planned in it yet');
  expect(hint).toMatch(/^hint: Fill it in by hand, or plan it with: claude --plugin-dir .* "\/ralph:ralph-plan"$/);
  expect(code).toBe(2);
});

describe('what used to be a mistake, and now works', () => {
  test.each([
    'ralph run -p x --agent claude',
    'ralph run -p x --max-iterations 3',
    'echo "Do it." >PROMPT.md; cat PROMPT.md | ralph run',
    'echo "Do it." | ralph run -f -',
  ])('%s', async (line) => {
    const play = 'claude_says "<response>DONE</response>"; claude_result done';
    const { code, screen } = await ended(makeScene({ play, agent: 'claude' }), line);
    expect(screen).toContain('✓ Done in 1 iteration');
    expect(screen.split('\n').at(-1)).toMatch(/^ {2}ralph show \w{4} +the whole story$/);
    expect(code).toBe(0);
  });
});

describe('ralph without arguments', () => {
  const ERROR = 'error: must specify prompt (--prompt or --prompt-file)';

  test('shows what to type, then the error', async () => {
    const scene = makeScene({ play: 'echo' });
    rmSync(join(scene.work, '.ralph'), { recursive: true });
    const { code, screen } = await ended(scene, 'ralph');
    const lines = screen.split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    expect(screen).toMatch(/^ {2}ralph run ".+" .*\n {2}ralph init .*\n {2}ralph ls .*\n {2}ralph --help .*$/m);
    expect(lines.slice(-2)).toEqual([ERROR, expect.stringMatching(/^hint: For example: ralph run /)]);
    expect(code).toBe(2);
  });

  test('shows the loops of this folder, if there are any', async () => {
    const scene = makeScene({ play: 'echo "<response>DONE</response>"' });
    await scene.run();
    const { code, screen } = await ended(scene, 'ralph');
    expect(screen).toMatch(new RegExp(`^✓ ${scene.loops()[0]?.slice(-8, -4)} +run `, 'm'));
    expect(screen.split('\n').at(-2)).toBe(ERROR);
    expect(code).toBe(2);
  });
});

describe('colour', () => {
  const RED = '\u001B[31merror: there is no command rnu';

  test('the error line is red on a terminal', async () => {
    const scene = makeScene({ play: 'echo', env: { NO_COLOR: '' } });
    const terminal = openTerminal(scene, 'ralph rnu', { columns: 80, rows: 24 });
    await terminal.ended();
    expect(terminal.colors()).toContain(RED);
  });

  test.each(['NO_COLOR=1 ralph rnu', 'TERM=dumb ralph rnu', 'ralph rnu 2>&1 | cat'])('none with %s', async (line) => {
    const scene = makeScene({ play: 'echo' });
    const terminal = openTerminal(scene, line, { columns: 80, rows: 24 });
    expect((await terminal.ended()).screen).toContain('error: there is no command rnu');
    expect(terminal.colors()).not.toContain('\u001B[31m');
  });
});

test.each(['ralph --help', 'ralph run --help', 'swarm --help'])('%s has bold headings on a terminal', async (line) => {
  const scene = makeScene({ play: 'echo', env: { NO_COLOR: '' } });
  const terminal = openTerminal(scene, line, { columns: 100, rows: 150 });
  await terminal.ended();
  for (const heading of ['Usage:', 'Examples:']) expect(terminal.colors()).toContain(`\u001B[1m${heading}`);
});

test.each(['ralph', 'swarm'])('%s version prints the version', async (program) => {
  const { code, screen } = await ended(makeScene({ play: 'echo' }), `${program} version`);
  expect(screen).toMatch(/^\d+\.\d+\.\d+$/);
  expect(code).toBe(0);
});

/** Runs a line in a terminal of 80×24, with the built `ralph` and `swarm`. */
function ended(scene: Scene, line: string): Promise<{ readonly code: number; readonly screen: string }> {
  return openTerminal(scene, line, { columns: 80, rows: 24 }).ended();
}
