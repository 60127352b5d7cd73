/** `ralph run`, as built by this repository, with settings and the flags that a task asks for. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const RALPH = resolve(import.meta.dirname, '../../../bin/ralph.cjs');
const BUILT = resolve(import.meta.dirname, '../../../dist/cli');
const SETTINGS = '.ralph/settings.json';

const ENDINGS = {
  0: 'done',
  1: 'iterations',
  2: 'configuration',
  3: 'outage or failures',
  4: 'login',
  5: 'blocked',
  7: 'stuck',
  8: 'budget',
  9: 'tampered',
  10: 'usage limit',
  11: 'not published',
  130: 'stopped',
};

/** Pauses are a hundred times shorter than in real use, so that a scenario takes seconds. */
function settingsOf({ inside }, { checks, protect, agent }) {
  return {
    agent: { command: agent },
    failureBackoffMs: 10,
    scm: { command: 'git', tasks: ['commit'], stage: 'all' },
    guardrails: checks.map((command) => ({ command, failAction: 'APPEND' })),
    ...(protect.length > 0
      ? { sandbox: { kind: 'os', denyWrite: protect, allowWrite: [inside('witness.jsonl')] } }
      : {}),
  };
}

export function ralphWith({ name, flags = [], settings = () => ({}) }) {
  return {
    name,
    missing: () => (existsSync(BUILT) ? null : 'dist/ is not built: npm run build'),
    prepare(scene, task) {
      mkdirSync(join(scene.work, '.ralph'), { recursive: true });
      const all = { ...settingsOf(scene, task), ...settings(task) };
      writeFileSync(join(scene.work, SETTINGS), JSON.stringify(all));
    },
    weakSettings: (scene, task) => ({
      path: SETTINGS,
      content: JSON.stringify({ ...settingsOf(scene, { ...task, checks: ['true'] }), ...settings(task) }),
    }),
    start: (_scene, task) => [process.execPath, RALPH, 'run', ...flags, ...flagsOf(task)],
    resume: () => [process.execPath, RALPH, 'resume'],
    endingOf: (code) => ENDINGS[code] ?? 'bug',
    /** According to the keys that the agents got. */
    iterationsOf: (starts) => Math.max(0, ...starts.map(({ key }) => Number(key?.split('/')[0] ?? 0))),
    /** The names that occur in the cgroups that ralph makes for its runs. */
    cgroupMarks({ state }) {
      const loops = join(state, 'ralph/loops');
      return existsSync(loops) ? readdirSync(loops) : [];
    },
  };
}

function flagsOf(task) {
  const { prompt, promptFile, iterations, hangAfterMs, maxTokens, maxTimeMs, fallbackModel, endsWhenStuck } = task;
  return [
    '-m',
    String(iterations),
    ...(promptFile === null ? ['-p', prompt] : ['-f', promptFile]),
    ...(hangAfterMs === null ? [] : ['--hang-after', `${hangAfterMs}ms`]),
    ...(maxTokens === null ? [] : ['--max-tokens', String(maxTokens)]),
    ...(maxTimeMs === null ? [] : ['--max-time', `${maxTimeMs}ms`]),
    ...(endsWhenStuck ? ['--on-stuck', 'end'] : []),
    ...(fallbackModel === null ? [] : ['--fallback', `claude:${fallbackModel}`]),
  ];
}

export const ralph = ralphWith({ name: 'ralph' });
