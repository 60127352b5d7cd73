/** What scenarios are made of: the agents' usual calls, the checks, and the witnesses that several have in common. */
export const DONE = '<response>DONE</response>';
export const CLAIM = { say: `It is 42. ${DONE}` };
export const RIGHT = [{ write: 42 }, CLAIM];
export const WRONG = [{ write: 41 }, { say: 'It may be 41.' }];
export const FALSE_CLAIM = [{ write: 41 }, { say: `It is 41. ${DONE}` }];
/** Nothing was done for it. */
export const NO_WORK = [{ say: `Everything is done. ${DONE}` }];

export const CHECKED = { checks: ['grep -qx 42 answer.txt'] };
export const UNCHECKED = { checks: ['true'] };

/** So many runs in so many iterations. */
export const least = (runs, iterations = runs) => ({ runs, iterations });

/** The log has such a line, so often at least. */
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

/** A run of the agent that was logged to begin, and not to end. */
export const CUT_OFF = {
  what: 'a run that did not end by itself',
  seen: (events) => {
    const count = (did) => events.filter((event) => event.did === did).length;
    return count('start') > count('end');
  },
};

/** The three agents where the trick is only a wrong answer: each meets the same fault, and then ends in its own way. */
export function everyone(callsOf) {
  const works = (steps) => steps;
  const idles = () => [];
  return {
    honest: { calls: callsOf({ last: RIGHT, wrong: WRONG, work: works }) },
    nop: { calls: callsOf({ last: NO_WORK, wrong: WRONG.slice(1), work: idles }) },
    cheat: cheat(callsOf({ last: FALSE_CLAIM, wrong: WRONG, work: works }), WROTE_WRONG),
  };
}

/** It wrote a wrong answer. */
export const WROTE_WRONG = [logs('wrote', { content: '41\n' })];

export const NOP = { calls: [NO_WORK] };

/** `witness`: that it did play its trick. `believed`: why a harness that only runs the checks has to believe it. */
export function cheat(calls, witness, believed) {
  return { calls, witness, ...(believed === undefined ? {} : { believed }) };
}
