/** Whatever is wrong with the files of other programs that `ralph install-hooks` changes, their content is not lost. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeScene } from '../support/scene.ts';
import { type Bench, type LoopKind, program } from './loop-kinds.ts';
import { filesOf, foldersOf, guarded, problemsIn, told } from './matrix.ts';
import { ownMounts } from './mounts.ts';

const AGENTS = {
  claude: { folder: '.claude', settings: 'settings.json', command: 'commands/ralph-loop.md' },
  codex: { folder: '.codex', settings: 'hooks.json', command: 'skills/ralph-loop/SKILL.md' },
  gemini: { folder: '.gemini', settings: 'settings.json', command: 'commands/ralph-loop.toml' },
  opencode: { folder: '.opencode', settings: null, command: 'plugins/ralph.js' },
} as const;
type Agent = keyof typeof AGENTS;

const THEIRS = '{\n  "theirs": [1, 2]\n}\n';

/** Presented as a kind of loop: `start` installs the hooks, `resume` removes them. */
function installing(agent: Agent): LoopKind {
  return {
    name: `install-hooks ${agent}`,
    hasProgram: false,
    refusal: [2],
    isDone: ({ code }) => code === 0,
    make() {
      const scene = makeScene({ play: 'true' });
      const { folder, work, state, env } = scene;
      const { folder: name, settings, command } = AGENTS[agent];
      const own = join(work, name);
      mkdirSync(dirname(join(own, command)), { recursive: true });
      const files = { command: join(own, command), ...(settings === null ? {} : { settings: join(own, settings) }) };
      if (settings !== null) writeFileSync(join(own, settings), THEIRS);
      const call = (...flags: string[]): Bench['resume'] => {
        const args = ['install-hooks', agent, '--yes', ...flags];
        return (how = {}) => program('ralph', args, { work, env }, how).exited;
      };
      return {
        folder,
        work,
        state,
        env,
        agent: null,
        files,
        folders: { own, commands: dirname(join(own, command)), receipts: join(state, 'ralph/installed') },
        free: () => undefined,
        start: call(),
        resume: call('--remove'),
        cutOff: async () => void (await call()()),
      };
    },
  };
}

describe.each(Object.keys(AGENTS) as Agent[])('%s: a fault', (agent) => {
  const kind = installing(agent);

  test('where the hooks are to be installed', async () => {
    const bench = kind.make();
    const places = [...filesOf(bench.files), ...foldersOf(bench.folders)];
    expect(await problemsIn(kind, bench, 'start', places)).toEqual([]);
  });

  test('where they are to be removed', async () => {
    const bench = kind.make();
    await bench.cutOff();
    const places = [...filesOf(bench.files), ...foldersOf(bench.folders)];
    expect(await problemsIn(kind, bench, 'resume', places)).toEqual([]);
  });
});

test.each(['claude', 'codex', 'gemini'] as const)('%s: the settings survive a full disk', async (agent) => {
  const bench = installing(agent).make();
  const { own = '' } = bench.folders;
  const { settings = '' } = bench.files;
  const mounts = await ownMounts();
  mounts.smallDisk(own, '64k');
  mkdirSync(dirname(mounts.seen(bench.files.command ?? '')), { recursive: true });
  writeFileSync(mounts.seen(settings), THEIRS);
  const filler = mounts.seen(join(own, 'filler'));
  for (let size = 64; size > 0; size--) {
    try {
      writeFileSync(filler, Buffer.alloc(size * 1024));
      break;
    } catch {
      // Does not fit: try a smaller size.
    }
  }
  const ended = await bench.start(guarded({ front: mounts.front }));
  expect({ code: ended.code, told: told(ended) }).toMatchObject({
    code: 2,
    told: expect.stringContaining('no space left on device'),
  });
  expect(readFileSync(mounts.seen(settings), 'utf8')).toBe(THEIRS);
});
