/** The results of the last iterations, folded from records: for the next prompt, and to detect a stuck loop. Pure. */
import { type Checked, describeOutcome, hasPassed } from '../check.ts';
import { describeFailure } from '../outcome.ts';
import { shownInPrompt } from '../prompt/prompt.ts';
import type { Ran } from '../record.ts';
import { failureFingerprint } from './fingerprint.ts';

export interface IterationNote {
  readonly iteration: number;
  /** How its agent failed, such as `exit 1`; null if it worked. */
  readonly failure: string | null;
  /** The agent said that it is done. */
  readonly isClaimed: boolean;
  readonly red: readonly RedNote[];
  /** The agent's last words, shortened; null if unknown. */
  readonly words: string | null;
  /** The snapshot of the work tree that it left, its tree, and the commit that was checked out; null if unknown. */
  readonly snapshot: string | null;
  readonly tree: string | null;
  readonly head: string | null;
}

export interface RedNote {
  readonly command: string;
  /** `exit 1` */
  readonly how: string;
  /** See `Checked`. */
  readonly fingerprint: string;
}

/** More than are needed to see that a loop is stuck, and more than a prompt has room for. */
const KEPT = 12;
const LONGEST_WORDS = 600;
const LONGEST_FAILURE = 300;

/** Faults from outside leave no note: the iteration is tried again. */
export function withRunNote(
  notes: readonly IterationNote[],
  iteration: number,
  ran: Ran,
  isClaimed: boolean,
): readonly IterationNote[] {
  if (ran.outcome.kind !== 'worked' && ran.outcome.kind !== 'failed') return notes;
  const failure = ran.outcome.kind === 'worked' ? null : describeFailure(ran).slice(0, LONGEST_FAILURE);
  const tree = ran.tree?.commit == null ? null : ran.tree;
  const note = {
    iteration,
    failure,
    isClaimed,
    red: [],
    words: lastWords(ran),
    snapshot: tree?.commit ?? null,
    tree: tree?.tree ?? null,
    head: tree?.head ?? null,
  };
  return [...notes.filter((other) => other.iteration !== iteration), note].slice(-KEPT);
}

export function withCheckNote(
  notes: readonly IterationNote[],
  iteration: number,
  command: string,
  checked: Checked,
): readonly IterationNote[] {
  if (hasPassed(checked)) return notes;
  const how = describeOutcome(checked.outcome);
  const red = { command, how, fingerprint: checked.fingerprint ?? failureFingerprint(checked.output) };
  return notes.map((note) => (note.iteration === iteration ? { ...note, red: [...note.red, red] } : note));
}

function lastWords({ account, said }: Ran): string | null {
  const own = account?.text || (said.last ?? said.firstLine);
  if (own == null) return null;
  const words = shownInPrompt(own)
    .replaceAll(/<\/?response>/gi, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const characters = [...words];
  if (characters.length > LONGEST_WORDS) return `${characters.slice(0, LONGEST_WORDS - 1).join('')}…`;
  return words === '' ? null : words;
}
