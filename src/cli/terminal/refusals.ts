/** What the sandbox refuses while an agent works: the first refusal in full, the others summed up after the run. */
import { plural } from '../../core/budget/usage.ts';
import { allowingFlag } from '../../runners/sandbox/refusals.ts';

/** How many flags are named; all of them could be as long as what they sum up. */
const MOST_FLAGS = 3;

/** `sumsUp`: false to show every refusal as it comes, in a log or with `--verbose`. */
export function refusalTeller(sumsUp: boolean, print: (text: string) => void) {
  let others: string[] = [];
  let hasFirst = false;
  return {
    tell(text: string): void {
      if (hasFirst && sumsUp) others.push(text);
      else print(text);
      hasFirst = true;
    },
    sumUp(): void {
      if (others.length > 0) print(sumOf(others));
      others = [];
      hasFirst = false;
    },
  };
}

/** `11 more refusals (to allow them: --allow-write /a --allow-host b.example …)` */
function sumOf(others: readonly string[]): string {
  const flags = [...new Set(others.map(allowingFlag).filter((flag) => flag !== null))];
  const more = flags.length > MOST_FLAGS ? ' …' : '';
  const allowing = flags.length === 0 ? '' : ` (to allow them: ${flags.slice(0, MOST_FLAGS).join(' ')}${more})`;
  return `${plural(others.length, 'more refusal')}${allowing}`;
}
