/** `ralph run`, as this repository builds it, with settings and the flags that a task asks for. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const RALPH = resolve(import.meta.dirname, '../../../bin/ralph.cjs');

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

export const ralph = {
  name: 'ralph',
  /** Pauses are a hundred times shorter than a night's, so that a scenario takes seconds. */
  prepare({ work, inside }, { checks, protect, agent }) {
    const settings = {
      agent: { command: agent },
      failureBackoffMs: 10,
      scm: { command: 'git', tasks: ['commit'] },
      guardrails: checks.map((command) => ({ command, failAction: 'APPEND' })),
      ...(protect.length > 0
        ? { sandbox: { kind: 'os', denyWrite: protect, allowWrite: [inside('witness.jsonl')] } }
        : {}),
    };
    mkdirSync(join(work, '.ralph'), { recursive: true });
    writeFileSync(join(work, '.ralph/settings.json'), JSON.stringify(settings));
  },
  start: (
    _scene,
    { prompt, promptFile, iterations, hangAfterMs, maxTokens, maxTimeMs, fallbackModel, endsWhenStuck },
  ) => [
    process.execPath,
    RALPH,
    'run',
    '-m',
    String(iterations),
    ...(promptFile === null ? ['-p', prompt] : ['-f', promptFile]),
    ...(hangAfterMs === null ? [] : ['--hang-after', `${hangAfterMs}ms`]),
    ...(maxTokens === null ? [] : ['--max-tokens', String(maxTokens)]),
    ...(maxTimeMs === null ? [] : ['--max-time', `${maxTimeMs}ms`]),
    ...(endsWhenStuck ? ['--on-stuck', 'end'] : []),
    ...(fallbackModel === null ? [] : ['--fallback', `claude:${fallbackModel}`]),
  ],
  resume: () => [process.execPath, RALPH, 'resume'],
  endingOf: (code) => ENDINGS[code] ?? 'bug',
  /** As the agents were told. */
  iterationsOf: (starts) => Math.max(0, ...starts.map(({ key }) => Number(key?.split('/')[0] ?? 0))),
  /** What the cgroups are named after that it makes for its runs. */
  cgroupMarks({ state }) {
    const loops = join(state, 'ralph/loops');
    return existsSync(loops) ? readdirSync(loops) : [];
  },
};
