/**
 * What the plugin's hooks cost: one that decides against node with nothing to do, one with nothing to say against a
 * shell with nothing to do. The agent waits for each of them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

/** Calls per measurement, because its clock ticks in milliseconds. */
const NODES = 5;
const SHELLS = 50;
/** The turns that a session has had when its hook is measured: each call adds one, and their records are read again. */
const TURNS = 100;
const SESSION = `ralph-bench-${process.pid}`;
/** One that the first half of the guard knows, one that needs the whole judge, and one that is refused. */
const COMMANDS = {
  plain: 'cd packages/api && npm run build 2>/dev/null | tail -5; git status --short && rm -rf build/tmp',
  judged: 'for f in src/*.ts; do node scripts/lint.mjs "$f" || exit 1; done && git push origin my-feature',
  blocked: 'npm test && git push --force origin main && rm -rf ~/',
};
const SIZES = { small: 10_000, large: 50_000_000 };

export async function measureHooks({ workspace, rounds }) {
  const { plugin, project, inputs } = prepare(workspace);
  const loops = join(workspace.output, 'session-loops');
  const state = { XDG_STATE_HOME: loops, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '0' };
  const sessions = beginLoops(workspace, plugin, state);
  const calls = (most, input, env, ...argv) => {
    const times = workspace.scaled(most);
    const loop = `i=0; while [ $i -lt ${times} ]; do "$@" <"$INPUT"; [ $? = "\${CODE:-0}" ] || exit 1; i=$((i + 1)); done`;
    const environment = workspace.environment('/usr/bin', { CLAUDE_CODE_SESSION_ID: SESSION, ...env, INPUT: input });
    return () => cpuOf({ argv: ['sh', '-c', loop, 'sh', ...argv], env: environment, cwd: project }) / times;
  };
  const inSession = ({ stop, env }, most, ...argv) => calls(most, stop, { ...state, ...env }, ...argv);
  for (const size of Object.keys(SIZES)) inSession(sessions[size], TURNS, ...sessions.decide)();
  const kept = join(workspace.output, 'session-loops-kept');
  cpSync(loops, kept, { recursive: true });
  /** Starts each measurement after the same number of turns, whatever was measured before. */
  const afterTurns = (session, ...argv) => {
    const measure = inSession(session, NODES, ...argv);
    return () => {
      rmSync(loops, { recursive: true });
      cpSync(kept, loops, { recursive: true });
      return measure();
    };
  };
  const decide = [process.execPath, join(plugin, 'hooks/built/stories-stop.cjs'), project];
  const inLoop = { CLAUDE_PROJECT_DIR: project };
  const guarding = [process.execPath, join(plugin, 'hooks/built/pre-tool-use.cjs')];
  const guard = (input, env = {}) => calls(NODES, input, { ...inLoop, RALPH_GUARD: 'on', ...env }, ...guarding);
  try {
    const figures = await takeTurns(rounds, {
      node: calls(NODES, '/dev/null', {}, process.execPath, '-e', '0'),
      small: calls(NODES, inputs.small, inLoop, ...decide),
      large: calls(NODES, inputs.large, inLoop, ...decide),
      whole: calls(NODES, inputs.small, inLoop, join(plugin, 'hooks/stop.sh')),
      shell: calls(SHELLS, '/dev/null', {}, 'sh', '-c', ':'),
      idle: calls(SHELLS, inputs.small, { CLAUDE_PROJECT_DIR: plugin }, join(plugin, 'hooks/stop.sh')),
      plain: guard(inputs.plain),
      judged: guard(inputs.judged),
      blocked: guard(inputs.blocked, { CODE: '2' }),
      sessionSmall: afterTurns(sessions.small, ...sessions.decide),
      sessionLarge: afterTurns(sessions.large, ...sessions.decide),
      sessionWhole: afterTurns(
        { ...sessions.small, env: { ...sessions.small.env, CLAUDE_PROJECT_DIR: plugin } },
        join(plugin, 'hooks/stop.sh'),
      ),
      unguarded: calls(SHELLS, inputs.plain, inLoop, join(plugin, 'hooks/pre-tool-use.sh')),
      watching: calls(SHELLS, inputs.small, {}, join(plugin, 'hooks/context-monitor.sh')),
    });
    const node = { name: 'node -e 0', figures: figures.node };
    const shell = { name: 'sh -c :', figures: figures.shell };
    const small = { name: '10 KB', figures: figures.small };
    return [
      compare({
        name: 'Stop hook decides, 10 KB transcript',
        unit: 'ms',
        figures: figures.small,
        floor: node,
        atMost: 1.25,
      }),
      compare({
        name: 'Stop hook decides, 50 MB against 10 KB',
        unit: 'ms',
        figures: figures.large,
        floor: small,
        atMost: 1.1,
      }),
      compare({ name: 'Stop hook with its sh and git', unit: 'ms', figures: figures.whole, floor: node }),
      compare({ name: 'Stop hook, no loop', unit: 'ms', figures: figures.idle, floor: shell, atMost: 1.5 }),
      compare({ name: 'guard, everyday command', unit: 'ms', figures: figures.plain, floor: node, atMost: 1.25 }),
      compare({ name: 'guard, command for the judge', unit: 'ms', figures: figures.judged, floor: node, atMost: 1.3 }),
      compare({ name: 'guard blocks a command', unit: 'ms', figures: figures.blocked, floor: node, atMost: 1.3 }),
      compare({
        name: 'Stop hook of a session’s loop, 10 KB transcript',
        unit: 'ms',
        figures: figures.sessionSmall,
        floor: node,
        atMost: 1.3,
      }),
      compare({
        name: 'Stop hook of a session’s loop, 50 MB against 10 KB',
        unit: 'ms',
        figures: figures.sessionLarge,
        floor: { name: '10 KB', figures: figures.sessionSmall },
        atMost: 1.1,
      }),
      compare({
        name: 'Stop hook of a session’s loop with its sh',
        unit: 'ms',
        figures: figures.sessionWhole,
        floor: node,
      }),
      compare({ name: 'guard, switched off', unit: 'ms', figures: figures.unguarded, floor: shell, atMost: 1.5 }),
      compare({ name: 'context monitor, nothing to say', unit: 'ms', figures: figures.watching, floor: shell }),
      compare({ name: 'context monitor, nothing to say', unit: 'ms', figures: figures.watching, floor: node }),
    ];
  } finally {
    for (const name of readdirSync('/tmp').filter((file) => file.includes(SESSION))) rmSync(join('/tmp', name));
  }
}

/** Two sessions in a loop, whose agents never give a promise: every call adds one more turn. */
function beginLoops({ output, environment }, plugin, state) {
  const decide = [process.execPath, join(plugin, 'hooks/built/session-loop.cjs'), 'claude'];
  const [program, ...args] = decide;
  const sessions = Object.entries(SIZES).map(([size, bytes]) => {
    const session_id = `${SESSION}-${size}`;
    const transcript_path = join(output, `session-${size}.jsonl`);
    const line = JSON.stringify({ type: 'user', message: { content: 'x'.repeat(900) } });
    writeFileSync(transcript_path, `${line}\n`.repeat(Math.ceil(bytes / line.length)));
    const event = { session_id, transcript_path, cwd: output };
    const begin = {
      ...event,
      hook_event_name: 'UserPromptExpansion',
      command_name: 'ralph-loop',
      command_args: '"Do the work" --max-iterations=1000000',
    };
    execFileSync(program, args, { input: JSON.stringify(begin), env: environment('/usr/bin', state) });
    const stop = join(output, `session-stop-${size}.json`);
    const words = { last_assistant_message: 'Not yet.', stop_hook_active: true };
    writeFileSync(stop, JSON.stringify({ ...event, ...words, hook_event_name: 'Stop' }));
    return [size, { stop, env: { CLAUDE_CODE_SESSION_ID: session_id } }];
  });
  return { decide, ...Object.fromEntries(sessions) };
}

/** A loop whose agent approved its own story: the hook has to check everything before it blocks. */
function prepare({ output }) {
  const plugin = join(output, 'plugin');
  cpSync(join(root, 'plugin'), plugin, { recursive: true });
  const project = join(output, 'stories');
  mkdirSync(join(project, 'ralph'), { recursive: true });
  execFileSync('git', ['init', '-q', project]);
  const story = (index) => ({
    id: `US-${index}`,
    title: 'A story',
    acceptanceCriteria: ['It works'],
    priority: index,
    passes: index === 0,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: 'done',
  });
  const userStories = Array.from({ length: 20 }, (_, index) => story(index));
  const snapshot = userStories.map(({ id }) => [id, { passes: false, reviewStatus: null, reviewCount: 0 }]);
  const marker = { iterationMode: 'implement', preIterationSnapshot: Object.fromEntries(snapshot) };
  const tasks = { project: 'p', branchName: 'b', description: '', userStories };
  writeFileSync(join(project, 'ralph/tasks.json'), JSON.stringify(tasks));
  writeFileSync(join(project, '.ralph-active'), JSON.stringify(marker));
  const inputs = Object.fromEntries(
    Object.entries(SIZES).map(([size, bytes]) => {
      const transcript_path = join(output, `transcript-${size}.jsonl`);
      writeFileSync(transcript_path, '');
      truncateSync(transcript_path, bytes);
      const path = join(output, `stop-${size}.json`);
      writeFileSync(path, JSON.stringify({ session_id: SESSION, transcript_path, stop_hook_active: true }));
      return [size, path];
    }),
  );
  for (const [name, command] of Object.entries(COMMANDS)) {
    inputs[name] = join(output, `pre-tool-use-${name}.json`);
    writeFileSync(inputs[name], JSON.stringify({ session_id: SESSION, tool_name: 'Bash', tool_input: { command } }));
  }
  // As the SessionStart hook leaves it, with the transcript far from the first threshold.
  writeFileSync(`/tmp/claude-context-alerts-${SESSION}`, `400000\n${join(output, 'transcript-small.jsonl')}\n`);
  return { plugin, project, inputs };
}
