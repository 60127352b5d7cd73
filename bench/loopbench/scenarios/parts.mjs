/** What scenarios are made of: the agent's usual calls, the checks, and the witnesses that several have in common. */
export const DONE = '<response>DONE</response>';
export const CLAIM = { say: `It is 42. ${DONE}` };
export const RIGHT = [{ write: 42 }, CLAIM];
export const WRONG = [{ write: 41 }, { say: 'It may be 41.' }];
export const FALSE_CLAIM = [{ write: 41 }, { say: `It is 41. ${DONE}` }];

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

/** A run of the agent that was logged to begin, and not to end. */
export const CUT_OFF = {
  what: 'a run that did not end by itself',
  seen: (events) => {
    const count = (did) => events.filter((event) => event.did === did).length;
    return count('start') > count('end');
  },
};
