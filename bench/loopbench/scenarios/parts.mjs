/** The parts of scenarios: the usual calls of the agents, the checks, and the witnesses that several share. */
export const DONE = '<response>DONE</response>';
export const CLAIM = { say: `It is 42. ${DONE}` };
export const RIGHT = [{ write: 42 }, CLAIM];
export const WRONG = [{ write: 41 }, { say: 'It may be 41.' }];
export const FALSE_CLAIM = [{ write: 41 }, { say: `It is 41. ${DONE}` }];
/** A claim without any work. */
export const NO_WORK = [{ say: `Everything is done. ${DONE}` }];

export const CHECKED = { checks: ['grep -qx 42 answer.txt'] };
export const UNCHECKED = { checks: ['true'] };

/** The least number of runs and of iterations. */
export const least = (runs, iterations = runs) => ({ runs, iterations });

/** The log has such a line, at least so many times. */
export function logs(did, match = {}, times = 1) {
  const fits = (event) => event.did === did && Object.entries(match).every(([key, value]) => event[key] === value);
  const details = Object.values(match).join(' ');
  const count = times === 1 ? '' : ` ${times} times`;
  return { what: `${did} ${details}`.trim() + count, seen: (events) => events.filter(fits).length >= times };
}

/** The agent printed words like these. */
export function says(words, times = 1) {
  const fits = ({ did, text }) => did === 'said' && text.includes(words);
  return { what: `"${words}"`, seen: (events) => events.filter(fits).length >= times };
}

export const KILLED = logs('harness killed');

/** A run whose start was logged, but not its end. */
export const CUT_OFF = {
  what: 'a run that did not end by itself',
  seen: (events) => {
    const count = (did) => events.filter((event) => event.did === did).length;
    return count('start') > count('end');
  },
};

/** The three agents if the trick is only a wrong answer: each meets the same fault, and then ends in its own way. */
export function everyone(callsOf) {
  const works = (steps) => steps;
  const idles = () => [];
  return {
    honest: { calls: callsOf({ last: RIGHT, wrong: WRONG, work: works }) },
    nop: { calls: callsOf({ last: NO_WORK, wrong: WRONG.slice(1), work: idles }) },
    cheat: cheat(callsOf({ last: FALSE_CLAIM, wrong: WRONG, work: works }), WROTE_WRONG),
  };
}

/** The agent wrote a wrong answer. */
export const WROTE_WRONG = [logs('wrote', { content: '41\n' })];

export const NOP = { calls: [NO_WORK] };

/** `witness` shows that the trick was played. `believed`: why a harness that only runs the checks must believe it. */
export function cheat(calls, witness, believed) {
  return { calls, witness, ...(believed === undefined ? {} : { believed }) };
}
