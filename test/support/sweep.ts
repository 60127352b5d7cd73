/**
 * Long sweeps. `npm run test:nightly` goes through all of a sweep; otherwise a part of it is drawn by a seed, which is
 * printed at the start and can be given again as RALPH_SEED. The seed is the number of the day, so that everything is
 * drawn within a few days. CI draws twice as many as `npm test`, for which a person waits.
 */
export const isNightly = process.env.RALPH_NIGHTLY === '1';

const SHARE = process.env.CI === 'true' ? 1 : 0.5;

const seed = Number(process.env.RALPH_SEED ?? Math.floor(Date.now() / 86_400_000));

/**
 * All items in nightly tests; `inCi` of them in CI, in their order, different ones each day. If a list is swept several
 * times, each time has its own `round`, and draws other items.
 */
export function sweep<T>(all: readonly T[], inCi: number, round = 0): T[] {
  const atMost = times(all.length, inCi);
  if (all.length <= atMost) return [...all];
  const ranked = all.map((item, index) => ({ item, index, rank: scatter(index + round * all.length) }));
  const drawn = ranked.sort((a, b) => a.rank - b.rank).slice(0, atMost);
  return drawn.sort((a, b) => a.index - b.index).map(({ item }) => item);
}

/** How often to try something that has no list. */
export function times(nightly: number, inCi: number): number {
  return isNightly ? nightly : Math.ceil(inCi * SHARE);
}

/** A number that looks random, from the seed and an index (the finisher of MurmurHash3). */
function scatter(index: number): number {
  let hash = Math.imul(seed ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
