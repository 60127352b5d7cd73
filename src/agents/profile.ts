/** The contract of an agent: how to find it, how to call it and how to read it. Each agent has a folder beside this file. */

import type { AgentChoice } from '../core/action.ts';
import type { AgentAccess } from '../core/agent-access.ts';
import type { QuotaWindow } from '../core/budget/quota.ts';
import type { AgentEvent } from '../core/events.ts';
import type { Fault } from '../core/outcome.ts';
import type { Instant } from '../core/time.ts';
import type { AgentScreen, DialogSign } from '../tmux/ready.ts';
import type { Wanted } from './flags.ts';

export interface AgentProfile {
  readonly name: string;
  readonly title: string;
  readonly install: string | null;
  /** Makes it print which flags it takes, where releases differ in them. */
  readonly helpArguments?: readonly string[];
  /** Given to the agent unless the user's environment has it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables, or what they begin with, that it never inherits: with them it would wait for hours without a word. */
  readonly notInherited?: readonly string[];
  /**
   * What it sets for the programs that it starts: `name` holds the name of its session, `mark` only says that there is one,
   * and `variables` (or what they begin with) are of no use outside of that session.
   */
  readonly session?: { readonly name: string; readonly mark?: string; readonly variables: readonly string[] };
  /** The variables that hold its own keys: in task folders they are taken from every other agent. */
  readonly keys?: readonly string[];
  /** The flags with which it works unattended, without asking for permission. */
  readonly autonomy?: readonly string[];
  /** Options by which the user says what it may do: with one of them, no `autonomy` is added. */
  readonly permissionOptions?: readonly string[];
  /**
   * What makes it change nothing: `words` in place of these flags, and of these options with their values.
   * `isOwnSandbox`: by a sandbox of its own, which finds no room in one of ours.
   */
  readonly readOnly?: {
    readonly instead: {
      readonly words: readonly string[];
      readonly flags: readonly string[];
      readonly options: readonly string[];
    };
    readonly isOwnSandbox?: true;
  };
  /** It asks for no permission, or its command line has the flags for that in any case. */
  readonly asksNothing?: true;
  /** The option that names its model, then its other spellings. */
  readonly modelOption?: readonly [option: string, ...others: string[]];
  /** The option that gives it the dollars it may spend, and the variables that send it to models whose price it cannot know. */
  readonly budgetOption?: { readonly option: string; readonly unlessVariables: readonly string[] };
  /** How it can be told something while it works, where that can be said on its command line. */
  readonly asides?: AgentAsides;
  /** The model that its own settings name, for an agent whose output does not tell; without it only `modelOption` is asked. */
  model?(place: AgentPlace): string | undefined;
  /** How much of its usage windows is used after a session, where its output does not tell and a file of its own does. */
  windows?(session: string, place: Pick<AgentPlace, 'env'>): readonly QuotaWindow[];
  /** Each word by which a user's own flags ask for that. */
  readonly unattended?: RegExp;
  /** Works unattended for root only where this variable is set. */
  readonly refusesRootUnless?: string;
  readonly login?: AgentLogin;
  /** Loads the ralph plugin, whose hooks `ralph stories` relies on. */
  readonly loadsPlugin?: true;
  /** The variable that says how often in a row a Stop hook may refuse before the agent overrides it. */
  readonly stopHookCap?: string;
  /** What a task's runs add, where the user has not said otherwise. */
  readonly taskFlags?: readonly Wanted[];
  /** What makes it read its prompt from stdin and exit: a flag, or the first word that is no flag. */
  readonly readsStdin?: { readonly flags?: readonly string[]; readonly words?: readonly string[] };
  readonly sandbox?: AgentAccess;
  /** The variables by which users send it to another server. */
  readonly baseUrls?: readonly string[];
  /** In a project: what names programs that it starts. Instructions alone are the agent's to write. */
  readonly projectConfig?: readonly string[];
  /** Variables that carry its account or lead to its server, or what they begin with: a rehearsal withholds them. */
  readonly accountVariables?: readonly string[];
  /** What makes it talk to a scripted model and to nothing else; absent where that is impossible. */
  readonly rehearsal?: AgentRehearsal;
  /** How it is in a terminal, where people talk with it; absent where that was never tried. */
  readonly terminal?: TerminalProfile;
  readonly tellsCost: 'dollars' | 'tokens' | 'nothing';
  readonly tested: string;
  commandLine(call: AgentCall): CommandLine;
  parser(choice: AgentChoice): AgentParser;
}

/** A file that is empty until there is something to tell, which the agent then hears after its next tool, once. */
export interface AgentAsides {
  flags(file: string): Wanted;
  /** What the file holds. */
  content(text: string): string;
}

/** Where it is started, and with which flags of the user's. */
export interface AgentPlace {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * What shows that a person has logged in: one of these variables is set, or one of these files exists. No file is read. A
 * path begins with `~/` in the home folder, with `$/` in the agent's own (`sandbox.state`), else in the work tree.
 */
export interface AgentLogin {
  readonly variables: readonly string[];
  readonly files: readonly string[];
  /** What may hold a login that cannot be seen; absent where it may always be elsewhere, such as in a keychain. */
  readonly unlessIn?: {
    readonly variables: readonly string[];
    readonly files: readonly string[];
    readonly platforms?: readonly NodeJS.Platform[];
  };
  /** How a person logs in. */
  readonly how: string;
}

export interface TerminalProfile {
  readonly screen: AgentScreen;
  readonly dialogs?: readonly DialogSign[];
  /** Lines that only stand on its screen once it is ready. */
  readonly readyLines?: readonly RegExp[];
  /** Flags that make it work without a screen, beside those of `readsStdin`. */
  readonly headlessFlags?: readonly string[];
  /** First words that are no conversation, beside those of `readsStdin`. */
  readonly subcommands: readonly string[];
  /** What a line of its own on the screen says about a run that came to nothing. */
  faultIn(line: string, now: Instant): Fault | null;
}

/** The flags are the user's own: an adapter adds none that stands there already. */
export interface AgentCall extends AgentChoice {
  readonly prompt: string;
  /** What `helpArguments` made it print; null when it was not asked, or did not answer. */
  readonly help: string | null;
  /** The caller wants it to come by stdin wherever the agent can take it there. */
  readonly wantsStdin?: boolean;
  /** It runs in a sandbox of ours: one of its own would find no room in it, and nothing left to protect. */
  readonly isEnclosed?: boolean;
  /** Where a program that can write its last words to a file is to put them. */
  readonly answerFile: string;
}

export interface CommandLine {
  readonly argv: readonly [string, ...string[]];
  /** Does the prompt go in by stdin? Otherwise it is an argument and stdin is closed. */
  readonly promptOnStdin: boolean;
}

export interface AgentParser {
  parse(line: string): readonly AgentEvent[];
  /** What is still to be told when nothing more comes. */
  end?(): readonly AgentEvent[];
  /** One line of stderr; without this it is only shown. */
  parseStderr?(line: string): readonly AgentEvent[];
  /**
   * True where `text` events are the agent's own words and nothing else. Then a run that worked ends with a `result` event;
   * one without it counts as broken off. False for plain text, which may echo the prompt.
   */
  readonly hasStructure: boolean;
  /** The words to listen to are in the answer file, not on stdout. */
  readonly answersInFile?: boolean;
}

export interface AgentRehearsal {
  /** Set in the environment of whatever is rehearsed: which agent it will call is not known beforehand. */
  variables(place: RehearsalPlace): Readonly<Record<string, string>>;
  /** The agent's throw-away configuration: contents by path below its folder. */
  files(place: RehearsalPlace): Readonly<Record<string, string>>;
  /**
   * What the user has allowed the agent, and a run without it would fail: the real files by path below the folder. A
   * permission that only the rehearsal has would hide that the real run fails.
   */
  readonly copies?: (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>;
  readonly sharedFolders?: readonly SharedFolder[];
  readonly kept?: readonly string[];
}

export interface RehearsalPlace {
  readonly url: string;
  readonly folder: string;
  /** Where the command runs: agents ask whether they may trust it. */
  readonly cwd: string;
}

/** A folder of many programs, by its variable: the others keep seeing theirs in it, the agent finds its own part empty. */
export interface SharedFolder {
  readonly variable: string;
  /** Where it is in the home folder when the variable is not set. */
  readonly usual: string;
  readonly own: string;
}

/** Linux takes no single argument above 128 KiB; some room is left for the encoding. */
export const LONGEST_ARGUMENT = 100_000;

/** Also a prompt that looks like a flag, or is too long for an argument, goes in by stdin. */
export function needsStdin({ prompt, wantsStdin = false }: Pick<AgentCall, 'prompt' | 'wantsStdin'>): boolean {
  return wantsStdin || prompt.startsWith('-') || Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
}

/** A rehearsal's key, which is no secret; its provider and model, for agents that must be told one. */
export const REHEARSAL = { key: 'dummy-key-0000000000000000000', provider: 'rehearsal', model: 'scripted' } as const;

export function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
