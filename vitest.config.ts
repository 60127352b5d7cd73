/** One vitest project per tier of tests; scripts/test.mjs runs them in order. `npx vitest --project unit` works too. */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// It makes every node that a test starts three times slower.
delete process.env.NODE_EXTRA_CA_CERTS;

const SECOND = 1000;
/** Wanted only when lines are counted, see scripts/merged-coverage.mjs. */
const setupFiles =
  process.env.RALPH_PROGRAM_COVERAGE === undefined ? [] : ['test/support/programs/program-coverage.ts'];

/**
 * Tiers that run at the same time begin one after the other, each with its large files. The small files of e2e take the
 * shortest time of all: with them at the end, no core waits for a long one. Some small files take long nevertheless.
 */
class ShortFilesLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLast = ({ project, moduleId }: TestSpecification): boolean =>
      project.name === 'e2e' && !SMALL_BUT_LONG.some((path) => moduleId.endsWith(path));
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}

const SMALL_BUT_LONG = ['start/first-minutes.test.ts', 'proof/samples.test.ts', 'e2e/hang.test.ts', 'cli/demo.test.ts'];

export default defineConfig({
  test: {
    allowOnly: false,
    // Tests wait for programs more than they compute: with fewer workers half of the machine would stand idle.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ShortFilesLast },
    projects: [
      tier('static', ['test/architecture/**/*.test.ts'], { seconds: 30 }),
      tier('unit', ['src/**/*.test.ts', 'test/property/**/*.test.ts', 'test/regressions/**/*.test.ts'], {
        seconds: 30,
        isolate: false,
      }),
      tier('e2e', ['test/e2e/**/*.test.ts'], { seconds: 120, retry: 1, isolate: false }),
      tier('swarm', ['test/swarm/**/*.test.ts'], { seconds: 60, retry: 1, isolate: false }),
      tier('tasks', ['test/tasks/**/*.test.ts'], { seconds: 60, retry: 1, isolate: false }),
      tier('stories', ['test/stories/**/*.test.ts'], { seconds: 60, retry: 1, isolate: false }),
      tier('across', ['test/across/**/*.test.ts'], { seconds: 120, retry: 1, isolate: false }),
      tier('crash', ['test/crash/**/*.test.ts'], { seconds: 600, isolate: false }),
      tier('bad-input', ['test/bad-input/**/*.test.ts'], { seconds: 120, isolate: false }),
      tier('darwin', ['test/darwin/**/*.test.ts'], { seconds: 60, isolate: false }),
      tier('loopbench', ['test/loopbench/**/*.test.ts'], { seconds: 60, isolate: false }),
      tier('fleet', ['test/fleet/**/*.test.ts'], { seconds: 120, retry: 1, isolate: false }),
      tier('agents', ['test/agents/**/*.test.ts'], {
        seconds: 120,
        retry: 1,
      }),
    ],
  },
});

interface Limits {
  readonly seconds: number;
  readonly retry?: number;
  /** False where tests change nothing in their own process, only in those they start: then files share one, and start faster. */
  readonly isolate?: boolean;
}

function tier(name: string, include: string[], { seconds, retry = 0, isolate = true }: Limits) {
  const timeout = seconds * SECOND;
  const limits = { testTimeout: timeout, hookTimeout: timeout, retry, isolate };
  return { test: { name, include, setupFiles, pool: 'forks' as const, ...limits } };
}
