/** A budget per story: a story that exceeds it is set aside, and the others continue. */
import { expect, test } from 'vitest';
import { story } from '../support/stories/stories.ts';
import { storiesScene } from './scene.ts';

const PAID = 'claude_result done';
/** Logs which story an iteration is about. */
const ABOUT = `story=$(node -p 'JSON.parse(fs.readFileSync(".ralph-active")).story'); echo "about $story" >>"$SCENE/starts.log"`;
const call = (id: string, tokens: number): string =>
  `printf '{"type":"assistant","message":{"id":"${id}","model":"claude-sonnet-5","usage":{"input_tokens":${tokens},"output_tokens":0},"content":[]}}\\n'`;

const about = (starts: readonly string[]): string[] =>
  starts.flatMap((line) => (line.startsWith('about ') ? [line.slice('about '.length)] : []));

test('a story that has cost too much is left as it is, the others are finished, and the exit code is 8', async () => {
  const stories = [story('A'), story('B'), story('C', { dependsOn: ['A'] })];
  const play = `${ABOUT}; [ "$story" = A ] || honest approve; ${PAID}`;
  const scene = storiesScene(stories, { play, agent: 'qwen' });
  const { code, stderr } = await scene.loop('--max-cost-per-story', '1.5', '-n', '20', '--stuck-after', '9');
  expect(code).toBe(8);
  expect(about(scene.starts())).toEqual(['A', 'A', 'A', 'B', 'B']);
  expect(stderr).toContain('[ralph] WARNING: story A has cost $1.50 and is set aside (--max-cost-per-story)');
  expect(stderr).toContain('Story A has cost $1.50 of $1.50 (--max-cost-per-story).');
  expect(stderr).toContain('ralph stories resume --max-cost-per-story 3');
  expect(scene.story('A').passes).toBe(false);
  expect(scene.story('B')).toMatchObject({ passes: true, reviewStatus: 'approved' });

  // With a larger budget, the loop continues with that story.
  await scene.stories('resume', '--max-cost-per-story', '2').exited;
  expect(about(scene.starts()).slice(5)).toEqual(['A']);
});

test('an agent is ended in mid-run when its story becomes too expensive, and its changes to the list are undone', async () => {
  const million = 1_000_000;
  const spend = `edit "honest('')"; ${call('m1', million)}; exec sleep 1000`;
  const play = `${ABOUT}; [ "$story" = A ] && { ${spend}; }; honest approve; ${PAID}`;
  const scene = storiesScene([story('A'), story('B')], { play, agent: 'qwen' });
  const { code, stderr } = await scene.loop('--max-cost-per-story', '1.5', '-n', '9');
  expect(code).toBe(8);
  expect(stderr).toContain('Story A has cost ~$2.00 of $1.50 (--max-cost-per-story).');
  expect(about(scene.starts())).toEqual(['A', 'B', 'B']);
  expect(scene.story('A')).toMatchObject({ passes: false, reviewStatus: null });
  expect(scene.story('B').passes).toBe(true);
});
