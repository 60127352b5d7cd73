/** CPU for a large transcript: shown as text, the whole run and the second half alone; and not shown. */
import { nodeFull, nodeTee, ralphRun } from '../harnesses.mjs';
import { compare, cpuOf, takeTurns } from '../measure.mjs';

/** Shown as text, and not shown. */
const AT_MOST = 1.25;
const NOT_SHOWN_AT_MOST = 1.15;

export async function measureStream({ workspace, rounds }) {
  const whole = (harness, transcript) => () => {
    workspace.clear();
    return cpuOf(harness(workspace, workspace.agent(transcript), 1));
  };
  const figures = await takeTurns(rounds, {
    'node-full 42': whole(nodeFull, 'large'),
    'ralph 42': whole(ralphRun, 'large'),
    'node-full 85': whole(nodeFull, 'larger'),
    'ralph 85': whole(ralphRun, 'larger'),
    'node-tee 42': whole(nodeTee, 'large'),
    'ralph 42, not shown': whole(notShown, 'large'),
    'node-tee 85': whole(nodeTee, 'larger'),
    'ralph 85, not shown': whole(notShown, 'larger'),
  });
  const line = (name, of, atMost) =>
    compare({ name, unit: 'ms', figures: of('ralph'), floor: { name: 'node-full', figures: of('node-full') }, atMost });
  const size = (megabytes) => (harness) => figures[`${harness} ${megabytes}`];
  const more = (large, small) => figures[large].map((cpu, round) => cpu - figures[small][round]);
  const growth = (harness) => more(`${harness} 85`, `${harness} 42`);
  return [
    line('CPU of a 42 MB stream', size(42), AT_MOST),
    line('CPU of an 85 MB stream', size(85), AT_MOST),
    line('CPU of the second 42 MB', growth, AT_MOST),
    compare({
      name: 'CPU of a 42 MB stream, not shown',
      unit: 'ms',
      figures: figures['ralph 42, not shown'],
      floor: { name: 'node-tee', figures: figures['node-tee 42'] },
      atMost: NOT_SHOWN_AT_MOST,
    }),
    compare({
      name: 'CPU of the second 42 MB, not shown',
      unit: 'ms',
      figures: more('ralph 85, not shown', 'ralph 42, not shown'),
      floor: { name: 'node-tee', figures: more('node-tee 85', 'node-tee 42') },
      atMost: NOT_SHOWN_AT_MOST,
    }),
  ];
}

function notShown(workspace, agent, iterations) {
  return ralphRun(workspace, agent, iterations, { flags: ['--no-stream-agent-output'] });
}
