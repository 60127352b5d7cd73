/** `ralph init --yes` writes what it finds without asking, and says what to run next. */
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultsBySchema } from '../../support/json-schema.ts';
import { bareProject, CLAUDE_DONE, withoutSandbox } from '../../support/run/bare-project.ts';
import { ROOT, type Scene } from '../../support/scene.ts';

const written = (scene: Scene) => JSON.parse(scene.read('work/.ralph/settings.json')) as object;

test('the agent, the checks, the sandbox and commits are written, and a run does what they say', async () => {
  const scene = bareProject({ play: `touch new.txt; ${CLAUDE_DONE}`, message: 'claude_result "Add a file"' });
  scene.write('work/package.json', JSON.stringify({ scripts: { test: 'true', lint: 'true' } }));
  const { code, stdout, stderr } = await scene.shell('ralph init --yes </dev/null');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    '  agent    claude --dangerously-skip-permissions',
    '  checks   npm test · npm run lint  (package.json)',
    "  sandbox  auto, here the operating system's",
    '  commits  by git when the checks pass, new files too (scm)',
    '  proof    DONE is proved in a clean checkout (proof)',
    '',
    'Settings written to .ralph/settings.json',
    'To commit them first: git add .ralph && git commit -m "Set up ralph"',
    'To start: ralph run "Fix the failing tests"',
    '',
  ]);
  expect(written(scene)).toEqual({
    $schema: './settings.schema.json',
    maximumIterations: 10,
    completionResponse: 'DONE',
    outputTruncateChars: 5000,
    streamAgentOutput: true,
    agent: { command: 'claude', flags: ['--dangerously-skip-permissions'] },
    guardrails: ['npm test', 'npm run lint'].map((command) => ({ command, failAction: 'APPEND' })),
    scm: { command: 'git', tasks: ['commit'], stage: 'all' },
    sandbox: { kind: 'auto' },
    proof: {},
  });
  const schema = JSON.parse(readFileSync(join(ROOT, 'dist/settings.schema.json'), 'utf8')) as object;
  expect(faultsBySchema(written(scene), schema)).toEqual([]);
  expect(scene.git('check-ignore', '.ralph/x.log')).toBe('.ralph/x.log\n');
  const run = await scene.ralph(['run', 'do it', ...scene.own]).exited;
  expect(run).toMatchObject({ code: 0 });
  expect(run.stderr).toMatch(/^✓ Done in 1 iteration · .* · proved at [0-9a-f]{7}$/m);
  expect(scene.git('show', '--stat', 'HEAD')).toContain('new.txt');
});

test('after the suggested commit a receipt verifies completely; otherwise pinned files are not compared', async () => {
  const pinned = async (isCommitted: boolean): Promise<string> => {
    const scene = bareProject({ play: `touch new.txt; ${CLAUDE_DONE}`, message: 'claude_result "Add a file"' });
    scene.write('work/package.json', JSON.stringify({ scripts: { test: 'true' } }));
    scene.git('add', '--all');
    scene.git('commit', '--quiet', '--message=A project');
    const { stdout } = await scene.shell('ralph init --yes');
    const [, command = 'false'] = /^To commit them first: (.*)$/m.exec(stdout) ?? [];
    expect(await scene.shell(isCommitted ? command : 'true')).toMatchObject({ code: 0 });
    await scene.ralph(['run', 'do it', ...scene.own]).exited;
    const verified = await scene.shell('ralph receipt -o ../receipt.json; ralph verify --yes ../receipt.json');
    expect(verified.code).toBe(0);
    return /^. pinned files .*$/m.exec(verified.stdout)?.[0] ?? verified.stdout;
  };
  expect(await pinned(true)).toMatch(/^✓ pinned files +none changed$/);
  expect(await pinned(false)).toMatch(/^– pinned files +not compared: the loop began with uncommitted files$/);
});

test('the suggested commit has no local settings, everything in a new repository, nothing if ignored', async () => {
  const said = async (line: string): Promise<string | null> => {
    const { stdout } = await bareProject().shell(`${line}; ralph init --yes`);
    return /^To commit them first: (.*) && git commit -m "Set up ralph"$/m.exec(stdout)?.[1] ?? null;
  };
  expect(await said('mkdir .ralph; echo {} >.ralph/settings.local.json')).toBe(
    'git add .ralph/settings.json .ralph/settings.schema.json',
  );
  expect(await said('rm -rf .git; git init -q')).toBe('git add --all');
  expect(await said('echo .ralph >.gitignore')).toBeNull();
});

test('the command that prepares a fresh clone is found and shown', async () => {
  const scene = bareProject();
  scene.write('work/package-lock.json', '{}');
  scene.write('work/package.json', '{}');
  const { stdout } = await scene.shell('ralph init --yes');
  expect(stdout).toContain('  proof    DONE is proved in a clean checkout, after npm ci (proof)\n');
  expect(written(scene)).toMatchObject({ proof: { setup: 'npm ci' } });
});

test('existing settings are replaced only with --force', async () => {
  const scene = bareProject();
  await scene.shell('mkdir .ralph; echo "{ broken" >.ralph/settings.json');
  const refused = await scene.shell('ralph init --yes');
  expect(refused.stderr).toBe(
    'error: .ralph/settings.json already exists\nhint: To replace it: ralph init --yes --force\n',
  );
  expect({ code: refused.code, text: scene.read('work/.ralph/settings.json') }).toEqual({
    code: 2,
    text: '{ broken\n',
  });
  expect(await scene.shell('ralph init --yes --force')).toMatchObject({ code: 0 });
  expect(written(scene)).toMatchObject({ agent: { command: 'claude' }, guardrails: [] });
});

test('without a sandbox, the flags to work unattended are left out; what is not found is reported', async () => {
  const scene = withoutSandbox();
  await scene.shell('rm -rf .git; echo x >PROMPT.md');
  const { code, stdout } = await scene.shell('ralph init --yes');
  expect(code).toBe(0);
  expect(stdout).toContain(
    '  agent    claude\n  --dangerously-skip-permissions is left out: there is no sandbox here\n',
  );
  expect(stdout).toContain('  checks   none found: nothing will check DONE (guardrails)\n');
  expect(stdout).toContain(
    '  commits  none: this is not a git repository\n  proof    none: this is not a git repository\n',
  );
  expect(stdout).toMatch(/\nTo start: ralph run +# with PROMPT\.md\n$/);
  expect(written(scene)).toMatchObject({ agent: { flags: [] }, sandbox: { kind: 'auto' } });
  expect(written(scene)).not.toHaveProperty('scm');
  expect(written(scene)).not.toHaveProperty('proof');
});

test('without an agent, nothing is written', async () => {
  const scene = bareProject({ agent: 'other' });
  symlinkSync(process.execPath, join(scene.folder, 'bin/node'));
  const { code, stderr } = await scene.shell('PATH=$SCENE/bin $SCENE/bin/node ../bin/ralph init --yes');
  expect(stderr).toContain('error: no coding agent is installed\n');
  expect({ code, files: readdirSync(scene.work) }).toEqual({ code: 2, files: ['.git', 'work.txt'] });
});
