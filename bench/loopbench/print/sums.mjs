/** The results of a harness in figures: all plays that count, added up. */

/** The plays that say something; the others are not counted. */
const counted = ({ reference, played }) =>
  reference.invalid === null ? Object.values(played).filter(({ invalid }) => invalid === null) : [];

/** If the trick does not exist for this harness, the play is not at fault. */
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

/** What the agent used beyond a run without a harness, including commit messages. Zero if the loop ended too early. */
export function wastedTokens({ reference, played: { honest } }) {
  return Math.max(0, honest.tokens - reference.tokens);
}

function medianOf(figures) {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
