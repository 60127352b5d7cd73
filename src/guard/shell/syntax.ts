/** What the text of a shell command is made of, as far as a guard must know. */

export type Unit =
  | { readonly kind: 'text'; readonly text: string; readonly isQuoted: boolean }
  /** What stands between double quotes, if it is more than text. */
  | { readonly kind: 'quoted'; readonly word: Word }
  | { readonly kind: 'variable'; readonly name: string; readonly change: Change | null; readonly isQuoted: boolean }
  /** `$( )` and backticks. */
  | { readonly kind: 'output'; readonly script: Script; readonly isQuoted: boolean }
  /** `<( )` and `>( )`. */
  | { readonly kind: 'process'; readonly script: Script }
  /** Something that only a running shell could tell. */
  | { readonly kind: 'unknown' };

/** `${name:-word}` and its kin; an operator that is not modelled makes the value unknown. */
export type Change = { readonly operator: 'fallback' | 'alternative'; readonly word: Word } | 'unknown';

export type Word = readonly Unit[];

export interface Assignment {
  readonly name: string;
  readonly value: Word;
}

export interface Redirection {
  readonly operator: string;
  readonly target: Word;
  /** The text of a here-document; it is read after the line that asks for it. */
  body: Word | null;
}

export interface SimpleNode {
  readonly kind: 'simple';
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  readonly redirections: readonly Redirection[];
  readonly source: string;
}

export type Node =
  | SimpleNode
  | { readonly kind: 'pipeline'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'group';
      readonly body: Script;
      readonly isSubshell: boolean;
      readonly redirections: readonly Redirection[];
    }
  | {
      readonly kind: 'loop';
      readonly variable: string | null;
      readonly items: readonly Word[];
      readonly condition: Script;
      readonly body: Script;
      readonly redirections: readonly Redirection[];
      readonly source: string;
    }
  | { readonly kind: 'branches'; readonly bodies: readonly Script[]; readonly redirections: readonly Redirection[] }
  | { readonly kind: 'function'; readonly name: string; readonly body: Node; readonly source: string };

/** Nodes one after the other; which of them run, and whether together, is not the guard's question. */
export type Script = readonly Item[];

export interface Item {
  readonly node: Node;
  readonly isBackground: boolean;
}
