/**
 * What the plugin's hooks cost: one that decides against node with nothing to do, one with nothing to say against a
 * shell with nothing to do. An agent waits for each of them.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/setup.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

/** So many in one measurement, because the clock of a measurement ticks in milliseconds. */
const NODES = 5;
const SHELLS = 50;
const SESSION = `ralph-bench-${process.pid}`;
/** One that the guard's first half knows, one that needs the whole judge, and one that is refused. */
const COMMANDS = {
  plain: 'cd packages/api && npm run build 2>/dev/null | tail -5; git status --short && rm -rf build/tmp',
  judged: 'for f in src/*.ts; do node scripts/lint.mjs "$f" || exit 1; done && git push origin my-feature',
  blocked: 'npm test && git push --force origin main && rm -rf ~/',
};
const SIZES = { small: 10_000, large: 50_000_000 };

export async function measureHooks({ workspace, rounds }) {
  const { plugin, project, inputs } = prepare(workspace);
  const calls = (times, input, env, ...argv) => {
    const loop = `i=0; while [ $i -lt ${times} ]; do "$@" <"$INPUT"; [ $? = "\${CODE:-0}" ] || exit 1; i=$((i + 1)); done`;
    const environment = workspace.environment('/usr/bin', { CLAUDE_CODE_SESSION_ID: SESSION, ...env, INPUT: input });
    return () => cpuOf({ argv: ['sh', '-c', loop, 'sh', ...argv], env: environment, cwd: project }) / times;
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
      compare({ name: 'guard, command for the judge', unit: 'ms', figures: figures.judged, floor: node, atMost: 1.25 }),
      compare({ name: 'guard blocks a command', unit: 'ms', figures: figures.blocked, floor: node, atMost: 1.25 }),
      compare({ name: 'guard, switched off', unit: 'ms', figures: figures.unguarded, floor: shell, atMost: 1.5 }),
      compare({ name: 'context monitor, nothing to say', unit: 'ms', figures: figures.watching, floor: shell }),
      compare({ name: 'context monitor, nothing to say', unit: 'ms', figures: figures.watching, floor: node }),
    ];
  } finally {
    for (const name of readdirSync('/tmp').filter((file) => file.includes(SESSION))) rmSync(join('/tmp', name));
  }
}

/** A loop whose agent approved its own story: the hook has to look at everything before it blocks. */
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
  // As the SessionStart hook leaves it: the transcript is far from the first threshold.
  writeFileSync(`/tmp/claude-context-alerts-${SESSION}`, `400000\n${join(output, 'transcript-small.jsonl')}\n`);
  return { plugin, project, inputs };
}
