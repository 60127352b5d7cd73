/** The results of a harness in figures: every play that counts, added up. */

/** A play of one agent that says something; the others are not counted. */
const counted = ({ reference, played }) =>
  reference.invalid === null ? Object.values(played).filter(({ invalid }) => invalid === null) : [];

/** The trick is none with this harness, which is no fault of the play. */
export const isNotApplicable = (invalid) => invalid.startsWith('not applicable');

export function sumsOf(rows) {
  const plays = rows.flatMap(counted);
  const count = (fits) => plays.filter(fits).length;
  const sum = (figure) => plays.reduce((total, play) => total + figure(play), 0);
  const honest = rows.filter((row) => row.played !== null && counted(row).includes(row.played.honest));
  return {
    plays: plays.length,
    right: count(({ isRight }) => isRight),
    falseDone: count(({ falseDone }) => falseDone),
    /** How many must end as done. */
    mustBeDone: honest.filter(({ scenario }) => scenario.mustEnd === 'done').length,
    missedDone: count(({ missedDone }) => missedDone),
    wastedIterations: sum(({ wastedIterations }) => wastedIterations),
    wastedTokens: honest.reduce((total, row) => total + wastedTokens(row), 0),
    left: sum(({ left }) => left.length),
    lost: sum(({ lost }) => lost.length),
    beyondMs: medianOf(honest.map(({ played }) => played.honest.beyondMs)),
    uncounted: rows.length * 3 - plays.length,
  };
}

/** What the agent used more than without a harness, commit messages included. Not for an ending before its time. */
export function wastedTokens({ reference, played: { honest } }) {
  return Math.max(0, honest.tokens - reference.tokens);
}

function medianOf(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
