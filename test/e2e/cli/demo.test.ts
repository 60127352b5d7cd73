/** `npm run demo` right after cloning: no account, an empty home, real loops. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ON_DISK } from '../../support/folder.ts';
import { type Program, startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT } from '../../support/scene.ts';

interface Next {
  readonly agent: { readonly name: string } | undefined;
  readonly commands: readonly { readonly command: string }[];
}

test('the demo shows a rejected DONE, a kill and a resume, a refused write, and what to type next', async () => {
  const { demo, home, temporary } = clone();
  const { code, stdout, stderr } = await demo().exited;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(`${stdout}${stderr}`).not.toContain('\u001b');
  expect(stdout.match(/^━━ [^━]*/gm)).toEqual([
    '━━ Act 1 of 3 ',
    '━━ Act 2 of 3 ',
    '━━ Act 3 of 3 ',
    '━━ Afterwards ',
    '━━ Your own project ',
  ]);
  // As in a project without settings.
  expect(stderr).toMatch(/^ {2}agent {6}scripted-agent\.cjs, in the OS sandbox {2}\(--agent to change\)$/m);
  expect(stderr.match(/^(✗|✓|!|Sandbox:|Resuming) .*/gm)).toEqual([
    expect.stringMatching(/^✗ npm test {2}exit 1 +[\d.]+s$/),
    '✗ DONE rejected: npm test is red. The failure goes into the next prompt.',
    expect.stringMatching(/^✓ npm test +[\d.]+s$/),
    expect.stringMatching(/^✓ Done in 2 iterations · /),
    expect.stringMatching(/^✓ npm test /),
    expect.stringMatching(/^✓ committed [0-9a-f]{7} {2}Say goodbye {2}/),
    expect.stringMatching(/^Resuming .* \(iteration 2 of 10\)/),
    expect.stringMatching(/^! The agent was interrupted: it was still running and was ended/),
    expect.stringMatching(/^✓ npm test /),
    expect.stringMatching(/^✓ committed [0-9a-f]{7} {2}Say goodbye to strangers {2}/),
    expect.stringMatching(/^✓ Done in 2 iterations · /),
    expect.stringMatching(/^Sandbox: refused to write .*\/precious\.txt /),
    expect.stringMatching(/^✓ npm test /),
    expect.stringMatching(/^✓ committed [0-9a-f]{7} {2}Note what greet does {2}/),
    expect.stringMatching(/^✓ Done in 1 iteration · /),
  ]);
  const [folder = '', ...others] = readdirSync(temporary);
  expect({ folder, others, home: readdirSync(home) }).toEqual({
    folder: expect.stringMatching(/^ralph-demo-/),
    others: [],
    home: [],
  });
  expect(readFileSync(join(temporary, folder, 'precious.txt'), 'utf8')).toBe('not for agents\n');
  const commits = execFileSync('git', ['log', '--format=%s'], {
    cwd: join(temporary, folder, 'hello'),
    encoding: 'utf8',
  });
  expect(commits.trim().split('\n')).toHaveLength(5);
  const [, killed = ''] =
    /^The same loop, (\w+): iteration 1 and its commit \w+ are as they were\.$/m.exec(stdout) ?? [];
  expect(stdout).toContain(`\n$ ralph show ${killed}\n${killed} · run · `);
  expect(stdout.match(/^[●✓✗!] \w+ +run .*/gm)?.map((row) => row.replaceAll(/ {2,}/g, '  '))).toEqual([
    expect.stringMatching(`^✗ ${killed} {2}run {2}\\. {2}supervisor died {2}2/10 .* ralph resume ${killed} · PLAN.md$`),
    expect.stringMatching(/^✓ \w+ {2}run {2}\. {2}done {2}2\/10 /),
    expect.stringMatching(/^✓ \w+ {2}run {2}\. {2}done {2}1\/10 /),
    expect.stringMatching(`^✓ ${killed} {2}run {2}\\. {2}done {2}2/10 `),
    expect.stringMatching(/^✓ \w+ {2}run {2}\. {2}done {2}2\/10 /),
  ]);
});

test('without the tools of the sandbox, the demo says what to install, and shows the rest', async () => {
  const { demo, tools } = clone();
  const { code, stdout, stderr } = await demo({
    PATH: tools('node', 'npm', 'git', 'sh', 'env', 'mkfifo', 'sleep', 'cat'),
  }).exited;
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining("error: the operating system's sandbox cannot be used: "),
  });
  expect(stderr).toContain('\nhint: Install ');
  expect(stdout).toContain('\n! Not shown: this machine has no sandbox to use. Above: why, and what to install.\n');
  expect(stdout).not.toContain('cat ../precious.txt');
  expect(stdout).toContain('━━ Your own project ━');
});

test.each(['Say goodbye', '$ kill -9 '])('Ctrl-C at “%s” leaves nothing running', async (moment) => {
  const { demo } = clone();
  const program = demo();
  await program.says(moment);
  program.signalGroup('SIGINT');
  const { code, stdout, stderr } = await program.exited;
  expect({ code, stderr }).toEqual({ code: 130, stderr: expect.not.stringContaining('    at ') });
  expect(stdout).not.toContain('Afterwards');
});

test('the three commands at the end fit the machine', async () => {
  const { ownProject } = (await import(join(ROOT, 'scripts/demo/own-project.mjs'))) as {
    ownProject(agents: readonly object[], env: NodeJS.ProcessEnv, clone?: string): Next;
  };
  const { folder } = makeScene({ play: 'exit 1' });
  const install = 'npm install -g @anthropic-ai/claude-code';
  const claude = { name: 'claude', title: 'Claude Code', install, installed: false };
  const codex = { name: 'codex', title: 'Codex', install: 'npm install -g @openai/codex', installed: true };
  const typed = (agents: readonly object[], env: NodeJS.ProcessEnv): string[] =>
    ownProject(agents, env).commands.map(({ command }) => command);
  for (const path of ['prefix/bin', 'prefix/lib/node_modules']) mkdirSync(join(folder, path), { recursive: true });
  const prefix = { npm_config_global_prefix: join(folder, 'prefix') };
  const run = 'ralph run "fix the failing tests"';
  // The scene's bin/ has a link to this clone's ralph.
  const linked = { PATH: join(folder, 'bin') };
  expect(typed([claude, codex], linked)).toEqual([run, 'ralph ls', 'ralph resume']);
  expect(typed([claude], linked)).toEqual([install, run, 'ralph ls']);
  expect(typed([claude, codex], { PATH: '/nowhere', ...prefix })).toEqual([`cd ${ROOT} && npm link`, run, 'ralph ls']);
  expect(typed([claude], {})).toEqual([install, `alias ralph=${ROOT}/bin/ralph.cjs`, run]);
  // Where npm's global folder cannot be written, for example because it belongs to another user.
  expect(typed([claude], { npm_config_global_prefix: '/nowhere' })).toEqual([
    `sudo ${install}`,
    `alias ralph=${ROOT}/bin/ralph.cjs`,
    run,
  ]);
  const apart = ownProject([codex], {}, `${folder}/Ada's clone`).commands[0]?.command ?? '';
  mkdirSync(join(folder, "Ada's clone/bin"), { recursive: true });
  writeFileSync(join(folder, "Ada's clone/bin/ralph.cjs"), '#!/bin/sh\necho "$0: $*"\n', { mode: 0o755 });
  const script = `shopt -s expand_aliases\n${apart}\nralph ls\n`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe(`${folder}/Ada's clone/bin/ralph.cjs: ls\n`);
  writeFileSync(join(folder, 'prefix/ralph'), 'another one');
  expect(typed([codex], { PATH: join(folder, 'prefix') })[0]).toBe(`alias ralph=${ROOT}/bin/ralph.cjs`);
});

/** A fresh machine: no state, no git identity, and a TMPDIR in which we can find the demo's folder. */
function clone() {
  const { folder } = makeScene({ play: 'exit 1', place: ON_DISK });
  const [home, temporary] = ['home', 'tmp'].map((name) => join(folder, name)) as [string, string];
  for (const path of [home, temporary, join(folder, 'tools')]) mkdirSync(path);
  // The sandboxed agent cannot write coverage data (see test/support/programs/program-coverage.ts).
  const own = { PATH: process.env.PATH, HOME: home, TMPDIR: temporary, SCENE: folder, NODE_V8_COVERAGE: '' };
  return {
    home,
    temporary,
    demo: (env: NodeJS.ProcessEnv = {}): Program =>
      startProgram([process.execPath, join(ROOT, 'scripts/demo.mjs')], {
        cwd: folder,
        env: { ...own, ...env },
        detached: true,
      }),
    /** A folder with these programs and no others. */
    tools(...names: string[]): string {
      for (const name of names) {
        const path = execFileSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).trim();
        symlinkSync(path, join(folder, 'tools', name));
      }
      return join(folder, 'tools');
    },
  };
}
