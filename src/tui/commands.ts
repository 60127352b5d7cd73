/** What keys do to loops, and where texts about loops come from: both are the code behind ralph's commands. */
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import type { LogLine } from '../views/loop-log.ts';
import type { Effect } from './update.ts';

/** The commands of the command line; each returns the sentences that it would print. */
export interface Commands {
  halt(command: 'pause' | 'stop', id: string): Promise<readonly string[]>;
  resume(id: string): Promise<readonly string[]>;
  say(as: 'tell' | 'answer', id: string, text: string): Promise<readonly string[]>;
  /** Shows the agent's pane within `inTerminal`; if that cannot be done here, returns the command to type. */
  attach(id: string, inTerminal: (use: () => Promise<void>) => Promise<void>): Promise<readonly string[]>;
  page(lines: AsyncIterable<string> | Iterable<string>): Promise<void>;
}

/** Texts about a loop that are read only when their tab is open. */
export interface Sources {
  diff(loop: ReadableLoop, iteration: number | null): Promise<readonly LogLine[]>;
  stories(loop: ReadableLoop): Promise<readonly LogLine[]>;
  bus(loop: ReadableLoop): Promise<readonly LogLine[]>;
  /** The end of a check's log. */
  log(loop: ReadableLoop, path: string): Promise<readonly LogLine[]>;
  /** Everything that `ralph logs` prints, or the whole log of a check. */
  whole(loop: ReadableLoop, log: string | null): AsyncIterable<string>;
}

export type LoopEffect = Extract<Effect, { readonly id: string }>;

interface Around {
  /** Hands over the terminal while `use` runs. */
  lend(use: () => Promise<void>): Promise<void>;
  /** The selected loop, and the log of the selected check. */
  readonly loop: ReadableLoop | null;
  readonly log: string | null;
}

/** Returns what to tell the user who pressed the key. */
export async function performed(
  effect: LoopEffect,
  { commands, sources }: { readonly commands: Commands; readonly sources: Sources },
  { lend, loop, log }: Around,
): Promise<readonly string[]> {
  const { id } = effect;
  switch (effect.do) {
    case 'pause':
    case 'stop':
      return commands.halt(effect.do, id);
    case 'resume':
      return commands.resume(id);
    case 'tell':
    case 'answer':
      return commands.say(effect.do, id, effect.text);
    case 'attach':
      return commands.attach(id, lend);
    case 'page':
      if (loop !== null) await lend(() => commands.page(sources.whole(loop, log)));
      return [];
  }
}
