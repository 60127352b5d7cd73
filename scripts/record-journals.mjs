/**
 * `npm run journals [<a checkout of another release, built>]`: runs a small loop of each kind, and saves their
 * journals to test/fixtures/journals/v<version of the format>, with the state that the release which wrote them reads
 * from them (expected.json).
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { ensureBuilt, ensureInstalled, root } from './setup.mjs';

const SESSION = '11111111-2222-3333-4444-555555555555';
const BOOT = '1e9de494-a491-4963-9b77-267706842583';
const TASK = 'task-20260220-153045-example';

const release = resolve(process.argv[2] ?? root);
const home = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-journals-')));
const work = join(home, 'project');
const states = join(home, 'states');
try {
  if (release === root) {
    ensureInstalled();
    await ensureBuilt();
  }
  makeProject();
  const ended = {
    run: runLoop(),
    stories: storiesLoop(),
    swarm: swarmLoop(),
    task: taskLoop(),
    job: jobLoop(),
    'ralph-loop': libraryLoop(),
    session: sessionLoop(),
  };
  await keep(ended);
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The agent of every kind. Its first start does half of the work, the second fails, and the third is done. */
function makeProject() {
  for (const folder of ['project/.ralph', 'project/ralph', 'agents'])
    mkdirSync(join(home, folder), { recursive: true });
  writeExecutable('agents/agent', [
    'case "$RALPH_KEY" in */message/*) echo "Fix the tests"; exit;; esac',
    'echo start >>"$HOME/starts-$KIND"; n=$(grep -c . "$HOME/starts-$KIND")',
    // A review of stories must not do this: it is refused once.
    '[ "$KIND$n" = stories3 ] || echo "$n" >>work.txt',
    `[ "$KIND" != stories ] || { node "$STORY_EDIT" 'honest()'; git add -A; git commit -qm "work of $RALPH_KEY"; exit; }`,
    `[ "$n" != 2 ] || { echo 'boom: cannot do that' >&2; exit 1; }`,
    '[ "$n" -ge 3 ] || { echo "Still going."; exit; }',
    '[ -z "$TASK_FOLDER" ] || echo finished >"$TASK_FOLDER/DONE"',
    'echo "All tests pass. <response>DONE</response>"',
  ]);
  writeExecutable('project/check.sh', ['[ "$(grep -c . work.txt)" -ge 3 ] || { echo "1 failed"; exit 1; }']);
  const settings = {
    agent: { command: join(home, 'agents/agent') },
    guardrails: [{ command: './check.sh', failAction: 'APPEND' }],
  };
  const scm = { command: 'git', tasks: ['commit'] };
  write('project/.ralph/settings.json', JSON.stringify({ ...settings, scm, failureBackoffMs: 10 }));
  const story = { id: 'US-001', title: 'Shop', description: '', acceptanceCriteria: ['It works'], priority: 1 };
  const untouched = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '', notes: '', dependsOn: [] };
  const about = { project: 'shop', branchName: 'ralph/shop', description: '', verifyCommands: ['true'] };
  write('project/ralph/tasks.json', JSON.stringify({ ...about, userStories: [{ ...story, ...untouched }] }));
  write('project/ralph/prd.md', '# What is wanted\n');
  write('project/ralph/prompt.md', 'Iteration $RALPH_ITERATION of {{RALPH_MAX_ITERATIONS}}.\n');
  write('project/ralph/progress.txt', '# Ralph Progress Log\n');
  write('project/PROMPT.md', 'Fix the tests.\n');
  write('project/work.txt', '');
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    ['commit', '-qm', 'begin'],
  ])
    expectCode(0, 'git', 'git', ...args);
}

/** Reaches its limit, and is continued with a higher one. */
function runLoop() {
  expectCode(1, 'run', ...ralph('run', '-p', 'Fix the tests.', '-m', '1'));
  expectCode(0, 'run', ...ralph('resume', '--max-iterations', '5'));
  return journalOf('run');
}

function storiesLoop() {
  const flags = [
    '--no-sandbox',
    '--agent',
    join(home, 'agents/agent'),
    '--max-iterations',
    '5',
    '--failure-backoff',
    '10ms',
  ];
  expectCode(0, 'stories', ...ralph('stories', 'run', ...flags));
  return journalOf('stories');
}

function swarmLoop() {
  const program = [process.execPath, join(release, 'bin/swarm.cjs')];
  const flags = ['--name', 'agent', '--ralph', '--prompt-file', 'PROMPT.md', '--max-iterations', '3'];
  const { status } = start('swarm', ...program, 'spawn', ...flags, '--', join(home, 'agents/agent'));
  spawnSync(program[0], [program[1], 'kill', '--all'], { cwd: work, env: environment('swarm') });
  if (status === null) throw new Error('swarm was ended by a signal');
  return journalOf('swarm');
}

function taskFlags(kind) {
  return ['--root', join(home, '.run-agent/runs'), '--project', kind, '--task', TASK];
}

function taskLoop() {
  write(`.run-agent/runs/task/${TASK}/TASK.md`, 'Fix the tests.\n');
  const flags = ['--agent', join(home, 'agents/agent'), '--restart-delay', '10ms', '--child-poll-interval', '50ms'];
  expectCode(0, 'task', ...ralph('task', 'run', ...taskFlags('task'), ...flags));
  return journalOf('task');
}

function jobLoop() {
  write(`.run-agent/runs/job/${TASK}/TASK.md`, 'Fix the tests.\n');
  const flags = ['--agent', join(home, 'agents/agent'), '--prompt', 'Fix the tests.'];
  expectCode(0, 'job', ...ralph('job', ...taskFlags('job'), ...flags));
  return journalOf('job');
}

function libraryLoop() {
  const folder = join(home, 'my-project', TASK);
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(release, join(home, 'node_modules/ralph-harness'));
  write(
    'consumer.mjs',
    `import { writeFileSync } from 'node:fs';
     import { RalphLoop } from 'ralph-harness';
     const [, , folder] = process.argv;
     let runs = 0;
     const runRoot = () => {
       runs += 1;
       if (runs === 2) throw new Error('cannot do that');
       if (runs === 3) writeFileSync(folder + '/DONE', '');
     };
     const options = { project: 'my-project', restartDelay: 1, pollInterval: 10, runRoot };
     await new RalphLoop(folder, folder + '/TASK-MESSAGE-BUS.md', options).run();`,
  );
  expectCode(0, 'ralph-loop', process.execPath, join(home, 'consumer.mjs'), folder);
  return journalOf('ralph-loop');
}

/** Calls the hook as Claude Code does: once for the command, and once whenever the agent ends its turn. */
function sessionLoop() {
  const transcript = join(home, 't.jsonl');
  const command = 'Fix the tests --max-iterations 5 --check "test -e fixed"';
  hear({
    hook_event_name: 'UserPromptExpansion',
    command_name: 'ralph-loop',
    command_args: command,
    command_source: 'plugin',
  });
  const says = (content) => {
    const message = { role: 'assistant', content: [content] };
    appendFileSync(transcript, `${JSON.stringify({ type: 'assistant', isSidechain: false, message })}\n`);
  };
  for (const text of ['Not yet.', '<promise>DONE</promise>', '<promise>DONE</promise>']) {
    says({ type: 'tool_use', id: 't', name: 'Bash', input: {} });
    says({ type: 'text', text });
    hear({ hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message: text });
    if (text !== 'Not yet.') write('project/fixed', '');
  }
  return journalOf('session');

  function hear(input) {
    const given = { session_id: SESSION, transcript_path: transcript, cwd: work, command_source: 'plugin', ...input };
    const hook = join(release, 'dist/hooks/session-loop.cjs');
    const { status, stderr } = start('session', { input: JSON.stringify(given) }, process.execPath, hook, 'claude');
    if (status !== 0) throw new Error(`the hook ended with ${status}: ${stderr}`);
  }
}

/** Saves each journal whole, and as left by a loop that is killed in its second iteration. */
async function keep(ended) {
  const { fold, isOver, machineOf } = await machinesOf(release);
  const version = ended.run[0].v;
  const folder = join(root, `test/fixtures/journals/v${version}`);
  mkdirSync(folder, { recursive: true });
  const expected = {};
  for (const [kind, records] of Object.entries(ended)) {
    const begun = records.findIndex(({ key, result }) => result.kind === 'started' && !key.startsWith('1/'));
    const journals = { ended: records, unfinished: begun < 0 ? [] : records.slice(0, begun + 1) };
    const machine = await machineOf(kind);
    for (const [how, kept] of Object.entries(journals).filter(([, { length }]) => length > 0)) {
      writeFileSync(
        join(folder, `${kind}-${how}.jsonl`),
        `${kept.map((record) => JSON.stringify(record)).join('\n')}\n`,
      );
      const { data, ...state } = fold(machine, kept);
      const whole = { ...state, data };
      expected[`${kind}-${how}`] = { state, next: isOver(whole) ? null : machine.next(whole) };
    }
  }
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
  console.log(`${relative(process.cwd(), folder)}: ${readdirSync(folder).length} files`);
}

/** The state machines of the release, from its sources. */
async function machinesOf(sources) {
  const { build } = await import('esbuild');
  // In older checkouts, it is one folder higher.
  const machine = existsSync(join(sources, 'src/core/machine')) ? 'core/machine/machine' : 'core/machine';
  const contents = [machine, 'core/state', 'views/machines'].map((name) => `export * from './${name}.ts';`).join('\n');
  const outfile = join(home, 'machines.cjs');
  const stdin = { contents, resolveDir: join(sources, 'src'), loader: 'ts' };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'cjs', logLevel: 'error' });
  return createRequire(import.meta.url)(outfile);
}

/** Without the folder, machine and account of the recording. */
function journalOf(kind) {
  const loops = join(states, kind, 'ralph/loops');
  const [id, more] = readdirSync(loops);
  if (id === undefined || more !== undefined) throw new Error(`${kind}: not one loop in ${loops}`);
  const text = readFileSync(join(loops, id, 'journal.jsonl'), 'utf8')
    .replaceAll(home, '/home/me')
    .replaceAll(/"boot":"[^"]*"/g, `"boot":"${BOOT}"`);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function ralph(...args) {
  return [process.execPath, join(release, 'bin/ralph.cjs'), ...args];
}

function expectCode(code, kind, ...command) {
  const { status, stdout, stderr } = start(kind, ...command);
  if (status !== code) throw new Error(`${command.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
}

function start(kind, ...given) {
  const options = typeof given[0] === 'object' ? given.shift() : {};
  const [command, ...args] = given;
  return spawnSync(command, args, { cwd: work, env: environment(kind), encoding: 'utf8', ...options });
}

function environment(kind) {
  const who = { NAME: 'me', EMAIL: 'me@example.com' };
  const git = Object.entries(who).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ]);
  return {
    PATH: process.env.PATH,
    HOME: home,
    SHELL: '/bin/sh',
    XDG_STATE_HOME: join(states, kind),
    SWARM_HOME: join(home, '.swarm'),
    SWARM_SECOND_MS: '50',
    TMUX_TMPDIR: home,
    IS_SANDBOX: '1',
    CLAUDE_CODE_SESSION_ID: SESSION,
    KIND: kind,
    STORY_EDIT: join(root, 'test/fakes/story-edit.cjs'),
    ...Object.fromEntries(git),
  };
}

function write(path, text) {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
}

function writeExecutable(path, lines) {
  write(path, `#!/bin/sh\n${lines.join('\n')}\n`);
  chmodSync(join(home, path), 0o755);
}
