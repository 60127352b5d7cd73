/** What an agent in a pane is doing (starting, waiting for a prompt, working, asking), and how it gets its prompt. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import type { Look, Pane } from './pane.ts';

/** What is known about the command in a pane; the agents' profiles have it as data. */
export interface PaneAgent {
  /** Null for a command whose screen is not known: it is ready when something that looks like a prompt appears. */
  readonly screen: AgentScreen | null;
  readonly dialogs: readonly DialogSign[];
  /** Lines that show that an unknown command is ready, in addition to the usual prompts. */
  readonly readyLines: readonly RegExp[];
}

export interface AgentScreen {
  readonly input: {
    /** Between the last two rules across the pane, in the last line with the mark, or beside the last thick bar. */
    readonly at: 'between-rules' | 'behind-mark' | 'beside-bar';
    readonly mark?: RegExp;
    readonly placeholder?: RegExp;
    /** The input line is below the last line that looks like this. */
    readonly below?: RegExp;
    /** There is no input line while one of the last three lines looks like this. */
    readonly unless?: RegExp;
  };
  /** One of these shows that it works; `footer` is in the last four lines. */
  readonly busy: { readonly title?: RegExp; readonly line?: RegExp; readonly footer?: RegExp };
}

/** A dialog for a person. It is never answered: several preselect "No, exit", and an Enter would end the agent. */
export interface DialogSign {
  readonly kind: keyof typeof DIALOGS;
  readonly sign: RegExp;
  /** What is stuck and what to do about it, if the usual message does not fit this agent. */
  readonly message?: string;
}

export type Dialog = Required<Omit<DialogSign, 'sign'>>;

export type AgentState =
  | { readonly is: 'starting' }
  /** Takes a prompt; `input` is what its input line already contains. */
  | { readonly is: 'ready'; readonly input: string }
  | { readonly is: 'busy'; readonly input: string }
  | { readonly is: 'asking'; readonly dialog: Dialog };

/** In the order in which they are looked for. Texts of the original are unchanged. */
const DIALOGS = {
  login: 'Worker stuck at login prompt. Check auth credentials.',
  theme: 'Worker stuck at theme picker. Check settings.local.json.',
  trust:
    'Worker stuck at trust dialog. Start the agent in this folder once and trust it, or pre-trust it in its settings.',
  hooks: 'Worker stuck at the review of its hooks. Start the agent in this folder once and trust them, or remove them.',
  key: 'Worker stuck at API key dialog. Approve the key once by hand, or remove it from the environment.',
  bypass:
    'Worker stuck at bypass permissions warning. Accept it once by hand, or set skipDangerousModePermissionPrompt.',
  unreachable: 'Worker cannot reach its service. Check the network.',
  permission: 'Worker stuck at a permission question. Answer it in its pane, or start the agent with fewer questions.',
  choice: 'Worker stuck at a question. Answer it in its pane.',
} as const;

export function agentState({ screen, dialogs, readyLines }: PaneAgent, { screen: shown, title }: Look): AgentState {
  const lines = shown.split('\n');
  const input = screen === null ? null : inputIn(lines, screen.input);
  if (screen !== null && isBusy(lines, title, screen.busy)) return { is: 'busy', input: input ?? '' };
  // A dialog replaces the input line; the same words above an input line are part of a conversation.
  if (input !== null) return { is: 'ready', input };
  const dialog = findDialog(shown, dialogs);
  if (dialog !== null) return { is: 'asking', dialog };
  return screen === null && looksReady(lines, readyLines) ? { is: 'ready', input: '' } : { is: 'starting' };
}

export function findDialog(screen: string, dialogs: readonly DialogSign[]): Dialog | null {
  // Only the end of the screen can wait for an answer: further up, the words may be part of a conversation.
  const lines = screen.trimEnd().split('\n').slice(-25);
  // A question can continue on the next line, inside a frame.
  const shown = lines.join('\n').replaceAll(/[\s│┃]+/g, ' ');
  const found = dialogs.filter(({ sign }) => sign.test(shown));
  const kinds = Object.keys(DIALOGS);
  const [first] = found.sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  return first === undefined ? null : { kind: first.kind, message: first.message ?? DIALOGS[first.kind] };
}

function isBusy(lines: readonly string[], title: string, { title: inTitle, line, footer }: AgentScreen['busy']) {
  return inTitle?.test(title) === true || has(lines, line) || has(lines.slice(-4), footer);
}

const RULE = /^─{10,}$/;

/** Null if there is no input line on this screen. Otherwise what is typed; empty if only a placeholder is shown. */
function inputIn(all: readonly string[], { at, mark = /^/, placeholder, below, unless }: AgentScreen['input']) {
  if (has(all.slice(-3), unless)) return null;
  const lines = below === undefined ? all : all.slice(all.findLastIndex((line) => below.test(line)) + 1);
  if (below !== undefined && lines.length === all.length) return null;
  const typed = TYPED[at](lines, mark)
    ?.join('\n')
    // Some show a cursor without width.
    .replaceAll('\u200b', '')
    .trim();
  if (typed === undefined) return null;
  return placeholder?.test(typed) === true ? '' : typed;
}

const TYPED: Readonly<
  Record<AgentScreen['input']['at'], (lines: readonly string[], mark: RegExp) => readonly string[] | null>
> = {
  'between-rules'(lines, mark) {
    const bottom = lines.findLastIndex((line) => RULE.test(line));
    const top = lines.slice(0, Math.max(0, bottom)).findLastIndex((line) => RULE.test(line));
    const [first = '', ...rest] = lines.slice(top + 1, bottom);
    return top >= 0 && mark.test(first) ? [first.replace(mark, ''), ...rest] : null;
  },
  'behind-mark'(lines, mark) {
    const line = lines.findLast((each) => mark.test(each));
    return line === undefined ? null : [line.replace(mark, '')];
  },
  /** A thick bar that ends in a foot; its last line names the mode. */
  'beside-bar'(lines) {
    const foot = lines.findLastIndex((line) => /^\s*╹▀+$/.test(line));
    const above = lines.slice(0, Math.max(0, foot));
    const top = above.findLastIndex((line) => !/^\s*┃/.test(line)) + 1;
    const beside = above.slice(top).map((line) => line.replace(/^\s*┃/, ''));
    return beside.length === 0 ? null : beside.slice(0, -1);
  },
};

/** The original's patterns. A captured line has lost its trailing spaces, so a bare prompt ends with the line. */
const PROMPTS = [/^>(?:\s|$)/, /❯(?:\s|$)/, /^\$(?:\s|$)/, /^>>>(?:\s|$)/];
/** A shell's prompt with a name or a path before its mark; `100%` is not one. */
const SHELL_PROMPT = /[$#❯]$|[^\d\s]%$/;

function looksReady(lines: readonly string[], readyLines: readonly RegExp[]): boolean {
  return SHELL_PROMPT.test(lines.at(-1) ?? '') || [...PROMPTS, ...readyLines].some((sign) => has(lines, sign));
}

function has(lines: readonly string[], sign: RegExp | undefined): boolean {
  return sign !== undefined && lines.some((line) => sign.test(line));
}

interface ReadyWait {
  readonly pane: Pick<Pane, 'look'>;
  readonly agent: PaneAgent;
  readonly timeout: Duration;
  /** The original's half second by default. */
  readonly every?: Duration;
  readonly signal?: AbortSignal;
  /** Called once for each message; a person may answer the dialogs meanwhile. */
  onDialog?(dialog: Dialog): void;
}

/** Waits until an agent takes its prompt, or says which dialog is in the way. Throws when the pane is gone. */
export async function waitUntilReady({ pane, agent, timeout, every = 500, signal, onDialog }: ReadyWait) {
  const deadline = performance.now() + timeout;
  const reported = new Set<string>();
  for (let wasReady = false; ; ) {
    const state = agentState(agent, await pane.look());
    const isReady = state.is === 'ready';
    if (isReady && wasReady) return { is: 'ready' } as const;
    wasReady = isReady;
    const dialog = state.is === 'asking' ? state.dialog : null;
    if (dialog !== null && !reported.has(dialog.message)) {
      reported.add(dialog.message);
      onDialog?.(dialog);
    }
    const left = deadline - performance.now();
    if (left <= 0) return { is: 'timed-out', dialog } as const;
    // An agent that has just begun to draw may clear its screen once more; a second look must agree.
    await sleep(Math.min(isReady ? 150 : every, every, left), undefined, { ...(signal && { signal }) });
  }
}

interface PromptPaste {
  readonly pane: Pane;
  readonly prompt: string;
  /** Nothing can be proved for a command whose screen we do not know. */
  readonly agent: PaneAgent;
  readonly patience?: Partial<typeof PATIENCE>;
  readonly signal?: AbortSignal;
}

type Submission =
  | { readonly is: 'proved'; readonly by: 'busy' | 'emptied' }
  /** Sent to a command whose reaction we do not know, or there was nothing to type. */
  | { readonly is: 'sent' }
  /** A dialog is where the prompt should go; no key was pressed that it could take for an answer. */
  | { readonly is: 'asking'; readonly dialog: Dialog }
  | { readonly is: 'unproved' };

/**
 * `shown`: how long the paste may take to appear in the input line. `reaction`: how long the agent may take to react to
 * one Enter, which is pressed at most `enters` times.
 */
const PATIENCE = { lookEvery: 100, shown: 10_000, reaction: 3000, enters: 4 };

/**
 * Gives a prompt to what runs in a pane: a bracketed paste, then a separate Enter. The agent's own reaction proves that
 * it took the prompt: it works, or its input line is empty again. Throws when the pane is gone.
 */
export async function submitPrompt(paste: PromptPaste): Promise<Submission> {
  const { pane, agent, signal } = paste;
  const prompt = pasteable(paste.prompt);
  const patience = { ...PATIENCE, ...paste.patience };
  const state = async (): Promise<AgentState> => agentState(agent, await pane.look());
  const before = agent.screen === null ? null : await state();
  if (before?.is === 'asking') return before;
  await pane.leaveCopyMode();
  if (prompt !== '') await pane.paste(prompt, agent.screen === null ? 'if-asked' : 'always');
  if (agent.screen === null || prompt === '') {
    await pane.press('Enter');
    return { is: 'sent' };
  }

  const until = async (timeout: Duration, isEnough: (state: AgentState) => boolean): Promise<AgentState> => {
    const deadline = performance.now() + timeout;
    for (;;) {
      const now = await state();
      if (isEnough(now) || performance.now() >= deadline) return now;
      await sleep(patience.lookEvery, undefined, { ...(signal && { signal }) });
    }
  };
  const pasted = await until(patience.shown, (state) => state.is === 'asking' || isHolding(state));
  if (pasted.is === 'asking') return pasted;
  const wasHeld = isHolding(pasted);
  for (let pressed = 0; pressed < patience.enters; pressed++) {
    await pane.press('Enter');
    const after = await until(patience.reaction, (now) => reactionOf(now, wasHeld) !== null);
    const reaction = reactionOf(after, wasHeld);
    if (reaction !== null) return reaction;
    // An Enter without a prompt in the input line would answer whatever comes next.
    if (!isHolding(after)) break;
  }
  return { is: 'unproved' };
}

const isHolding = (state: AgentState) => (state.is === 'ready' || state.is === 'busy') && state.input !== '';

function reactionOf(state: AgentState, wasHeld: boolean): Submission | null {
  if (state.is === 'asking') return state;
  if (state.is === 'starting' || state.input !== '') return null;
  if (state.is === 'busy') return { is: 'proved', by: 'busy' };
  return wasHeld ? { is: 'proved', by: 'emptied' } : null;
}

/** Like lines typed by a person: no final line end, none of another system, and nothing that ends the paste early. */
function pasteable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(PASTE_MARKS, '').replaceAll('\0', '').replace(/\n+$/, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks of a bracketed paste are escape sequences.
const PASTE_MARKS = /(?:\u001b\[|\u009b)20[01]~/g;
