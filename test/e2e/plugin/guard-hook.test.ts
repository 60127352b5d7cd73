/** The built PreToolUse hook as Claude Code calls it: JSON on stdin; exit code 2 and a reason, a warning or silence. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { type Exited, startProgram } from '../../support/programs/program.ts';
import { ROOT } from '../../support/scene.ts';

const HOOK = join(ROOT, 'dist/hooks/pre-tool-use.cjs');
const NONBLOCKING = join(ROOT, 'test/fakes/nonblocking-stdin.pl');
const SILENCE = { code: 0, stdout: '', stderr: '' };

describe('a dangerous command', () => {
  test('is blocked with its category, the piece and what to do instead', async () => {
    const place = makePlace();
    const { code, stdout, stderr } = await bash(place, 'npm test && git push -f origin main');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'ralph guard, blocked (category 10, destructive git): `git push -f origin main` overwrites history that others may have pulled. ' +
        'Add a new commit instead; leave published history as it is.\n' +
        'If the task needs it, say so and stop: a person can allow the command in ralph/allowed-commands.txt.\n',
    );
  });

  test.each(['rm -rf ~', 'rm -rf "$HOME"', 'cd / && rm -rf *', 'rm -rf .', 'echo x >> ~/.bashrc', 'rm .ralph-active'])(
    'is recognised by the home and the project of the session: %s',
    async (command) => {
      expect(await bash(makePlace(), command)).toMatchObject({ code: 2, stdout: '' });
    },
  );

  test('is judged by the project, not by the folder that the agent changed to', async () => {
    const place = makePlace();
    mkdirSync(join(place.project, 'src'));
    const blocked = await tool(place, 'Bash', { command: 'rm -rf ../.git' }, { cwd: join(place.project, 'src') });
    expect(blocked).toMatchObject({ code: 2 });
    const fine = await tool(place, 'Bash', { command: 'rm -rf ../dist *' }, { cwd: join(place.project, 'src') });
    expect(fine).toEqual(SILENCE);
  });
});

test('code goes only to the remotes that the repository has', async () => {
  const place = makePlace();
  execFileSync('git', ['remote', 'add', 'origin', 'git@github.com:me/project.git'], { cwd: place.project });
  expect(await bash(place, 'git push https://github.com/me/project.git main')).toEqual(SILENCE);
  expect(await bash(place, 'git push https://github.com/someone/else.git main')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('which is not a remote of this project'),
  });
});

test('a command that is not valid bash is refused, unless the tool has another language', async () => {
  const place = makePlace();
  const command = 'if ($x) { Get-Item a }';
  expect(await bash(place, command)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not valid bash') });
  expect(await tool(place, 'PowerShell', { command })).toEqual(SILENCE);
});

test('a project and a symbolic link to it are one project', async () => {
  const place = makePlace();
  const link = join(place.home, 'link');
  symlinkSync(place.project, link);
  const linked = { ...place, project: link };
  const cwd = place.project;
  expect(await tool(linked, 'Bash', { command: 'rm -rf dist' }, { cwd })).toEqual(SILENCE);
  expect(await tool(linked, 'Bash', { command: 'rm -rf .git' }, { cwd })).toMatchObject({ code: 2 });
});

test('a doubtful command runs, and the agent gets a warning', async () => {
  const { code, stdout, stderr } = await bash(makePlace(), 'sudo apt-get install -y jq');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      additionalContext: expect.stringMatching(/^ralph guard, warning \(category 7, privilege escalation\): `sudo /),
    },
  });
});

test('a harmless command gets silence', async () => {
  expect(await bash(makePlace(), 'npm test 2>/dev/null && rm -rf dist && git push origin my-feature')).toEqual(SILENCE);
});

describe('a command that would discard changes', () => {
  const commands = ['git reset --hard', 'git clean -fd', 'git restore .', 'git checkout -- .'];

  test.each(commands)('is blocked on a dirty work tree: %s', async (command) => {
    const place = makePlace();
    writeFileSync(join(place.project, 'new.txt'), 'not committed');
    expect(await bash(place, command)).toMatchObject({ code: 2, stderr: expect.stringContaining('category 10') });
  });

  test.each(commands)('is allowed on a clean one: %s', async (command) => {
    expect(await bash(makePlace(), command)).toMatchObject({ code: 0, stderr: '' });
  });

  test('is blocked if git cannot tell', async () => {
    const place = makePlace();
    const elsewhere = testFolder();
    expect(await tool(place, 'Bash', { command: 'git reset --hard' }, { cwd: elsewhere })).toMatchObject({ code: 2 });
  });
});

describe('a tool that writes files', () => {
  test.each([
    ['Write', 'file_path', '.git/hooks/pre-commit'],
    ['Edit', 'file_path', '.claude/settings.json'],
    ['MultiEdit', 'file_path', '.ralph-active'],
    ['NotebookEdit', 'notebook_path', 'ralph/allowed-commands.txt'],
  ])('cannot write to sensitive paths: %s %s %s', async (name, field, path) => {
    const place = makePlace();
    const { code, stderr } = await tool(place, name, { [field]: join(place.project, path), content: 'x' });
    expect(code).toBe(2);
    expect(stderr).toContain('category 18');
  });

  test('can write the project’s own files', async () => {
    const place = makePlace();
    expect(await tool(place, 'Write', { file_path: join(place.project, 'src/a.ts'), content: 'rm -rf /' })).toEqual(
      SILENCE,
    );
  });

  test('cannot write to the records of ralph', async () => {
    const place = makePlace();
    const file_path = join(place.home, '.local/state/ralph/loops/a/journal.jsonl');
    expect(await tool(place, 'Write', { file_path })).toMatchObject({ code: 2 });
  });
});

test('reading a private key is blocked', async () => {
  const place = makePlace();
  expect(await tool(place, 'Read', { file_path: join(place.home, '.ssh/id_rsa') })).toMatchObject({ code: 2 });
});

test('a command that the project allows in ralph/allowed-commands.txt runs', async () => {
  const place = makePlace();
  mkdirSync(join(place.project, 'ralph'));
  writeFileSync(join(place.project, 'ralph/allowed-commands.txt'), '# pages\ngit push --force origin gh-pages\n');
  expect(await bash(place, 'git push --force origin gh-pages')).toEqual(SILENCE);
  expect(await bash(place, 'git push --force origin main')).toMatchObject({ code: 2 });
});

describe('the guard is silent', () => {
  test.each([undefined, 'off', ''])('unless ralph has switched it on: RALPH_GUARD=%s', async (RALPH_GUARD) => {
    expect(await bash(makePlace(), 'rm -rf /', { RALPH_GUARD })).toEqual(SILENCE);
  });

  test.each(['', '{"tool_name":', 'null', '[]', '"x"', 'not JSON at all', '{"tool_name":"Bash","tool_input":null}'])(
    'on malformed input: %j',
    async (stdin) => {
      expect(await hook(makePlace(), stdin)).toEqual(SILENCE);
    },
  );

  test.each([
    ['Bash', { command: 17 }],
    ['Bash', {}],
    ['Write', { file_path: ['/etc/passwd'] }],
    ['Glob', { pattern: '/etc/**' }],
    ['', { command: 'rm -rf /' }],
  ])('on a tool or a field that it does not know: %s %j', async (name, input) => {
    expect(await tool(makePlace(), name, input)).toEqual(SILENCE);
  });
});

test.each([
  ['blocking', []],
  ['non-blocking', [NONBLOCKING]],
])('input that arrives late and in pieces is read to its end, on a %s stdin', async (_kind, front) => {
  const place = makePlace();
  const command = `cat > notes.md <<'EOF'\n${'Grüße 🙂 '.repeat(20_000)}\nEOF\nrm -rf /`;
  const input = JSON.stringify({ tool_name: 'Bash', tool_input: { command }, cwd: place.project });
  const exited = await hook(place, late(input.slice(0, 50), input.slice(50, 100_000), input.slice(100_000)), {}, front);
  expect(exited).toMatchObject({ code: 2, stderr: expect.stringContaining('`rm -rf /`') });
});

interface Place {
  readonly home: string;
  readonly project: string;
}

/** A home with a project in it: a git repository without changes. */
function makePlace(): Place {
  const home = testFolder();
  const project = join(home, 'project');
  mkdirSync(project);
  const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  for (const args of [
    ['init', '--quiet'],
    [...who, 'commit', '--quiet', '--allow-empty', '-m', 'begin'],
  ]) {
    execFileSync('git', args, { cwd: project, env: { PATH: process.env.PATH, HOME: home } });
  }
  return { home, project };
}

function bash(place: Place, command: string, env: NodeJS.ProcessEnv = {}): Promise<Exited> {
  return tool(place, 'Bash', { command, description: 'x' }, {}, env);
}

function tool(
  place: Place,
  tool_name: string,
  tool_input: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>> = {},
  env: NodeJS.ProcessEnv = {},
): Promise<Exited> {
  const input = {
    session_id: 'ac0a0cab-b44e-41df-a7ec-e74fe79c9660',
    cwd: place.project,
    permission_mode: 'bypassPermissions',
    hook_event_name: 'PreToolUse',
    tool_name,
    tool_input,
    tool_use_id: 'toolu_00000001',
    ...other,
  };
  return hook(place, JSON.stringify(input), env);
}

function hook(
  { home, project }: Place,
  stdin: string | AsyncIterable<string>,
  env: NodeJS.ProcessEnv = {},
  front: readonly string[] = [],
): Promise<Exited> {
  const [command, ...args] = [...front, process.execPath, HOOK];
  const own = { PATH: process.env.PATH, HOME: home, CLAUDE_PROJECT_DIR: project, RALPH_GUARD: 'on' };
  return startProgram([command, ...args], { cwd: home, env: { ...own, ...env }, stdin }).exited;
}

async function* late(...pieces: string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await sleep(30);
    yield piece;
  }
}
