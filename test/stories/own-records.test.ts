/** Without a sandbox an agent can reach the loop's own folder: whatever it does there, the loop ends as tampered with. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Exited } from '../support/programs/program.ts';
import { makeScene, type Scene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { taskLoopScene } from '../support/tasks/task-loop.ts';
import { storiesScene } from './scene.ts';

const LOOP = 'loop=$(echo "$XDG_STATE_HOME"/ralph/loops/*);';
const ACTS = {
  'takes it away': 'rm -rf "$loop"',
  'takes its journal away': 'rm "$loop/journal.jsonl"',
  'empties its journal': ': >"$loop/journal.jsonl"',
  'rewrites its journal': 'sed -i s/created/CREATED/ "$loop/journal.jsonl"',
  'rewrites its journal in place': 'printf X | dd of="$loop/journal.jsonl" bs=1 seek=9 conv=notrunc status=none',
  'adds an ending to its journal': `echo '{"v":1,"seq":9,"at":1,"key":"end","attempt":1,"result":{"kind":"ended","ending":{"kind":"done"}}}' >>"$loop/journal.jsonl"`,
  'puts a file in its place': 'rm -rf "$loop"; echo x >"$loop"',
};
type Act = keyof typeof ACTS;

interface Kind {
  /** Runs a loop whose agent does this, and then claims that all is done. */
  run(act: string): Promise<{ readonly scene: Scene; readonly ended: Exited }>;
  readonly later: readonly string[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  run: {
    async run(act) {
      const scene = makeScene({ play: `${LOOP} ${act}; echo "<response>DONE</response>"` });
      return { scene, ended: await scene.run() };
    },
    later: [],
  },
  stories: {
    async run(act) {
      const scene = storiesScene([story('A')], { play: `${LOOP} ${act}; honest approve` });
      return { scene, ended: await scene.loop() };
    },
    later: ['stories status', 'stories check', 'stories archive'],
  },
  'task run': {
    async run(act) {
      const scene = taskLoopScene({ play: `${LOOP} ${act}; echo finished >"$TASK_FOLDER/DONE"` });
      return { scene, ended: await scene.runTask() };
    },
    later: ['task list --project my-project', 'task status --project my-project'],
  },
};

/** Only two of the acts are tried with every kind of loop: the same code detects a changed journal for all of them. */
const CASES = Object.keys(ACTS).flatMap((act) =>
  Object.keys(KINDS)
    .filter((kind) => kind === 'run' || ['takes it away', 'rewrites its journal'].includes(act))
    .map((kind) => ({ kind, act: act as Act })),
);

test.each(CASES)('ralph $kind ends as tampered with after an agent that $act', async ({ kind: name, act }) => {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(name);
  const { scene, ended } = await kind.run(ACTS[act]);
  expect(ended.stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /the loop's own records were tampered with \(\S+ was (?:removed|changed)\)/,
  );
  expect(ended.code).toBe(9);
  expect(ended.stderr).not.toMatch(/bug|\n +at |Done in|verified complete/);
  // The agent is not started again.
  expect(scene.starts().filter((line) => line.startsWith('agent 2'))).toEqual([]);
  for (const command of kind.later) {
    const { code, stderr } = await scene.ralph(command.split(' ')).exited;
    expect({ command, code, stderr }).not.toMatchObject({ code: 70 });
    expect(stderr).not.toContain('bug');
  }
  // The records are as they were, plus the ending.
  const [loop = ''] = readdirSync(join(scene.state, 'ralph/loops')).filter((one) => !one.includes('tampered'));
  expect(scene.journal().at(-1)?.result).toMatchObject({ kind: 'ended', ending: { kind: 'tampered' } });
  expect(scene.journal()[0]?.result).toMatchObject({ kind: 'created', id: loop });
});
