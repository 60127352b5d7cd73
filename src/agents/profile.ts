/** The interface of an agent: how to find it, start it and read its output. Each agent has a folder next to this. */

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
  /** Arguments that print the agent's flags; only for agents whose releases differ in them. */
  readonly helpArguments?: readonly string[];
  /** Set for the agent unless the user's environment already has it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Variables (or their prefixes) that the agent never inherits: with them it would wait silently for hours. */
  readonly notInherited?: readonly string[];
  /**
   * What the agent sets for the programs that it starts: `name` holds the session's name, `mark` only says that there
   * is a session, and `variables` (or their prefixes) have no use outside of that session.
   */
  readonly session?: { readonly name: string; readonly mark?: string; readonly variables: readonly string[] };
  /** The variables that hold its API keys: in task folders they are withheld from every other agent. */
  readonly keys?: readonly string[];
  /** The flags with which it works unattended, without asking for permission. */
  readonly autonomy?: readonly string[];
  /** Options by which the user sets its permissions: with one of them, no `autonomy` is added. */
  readonly permissionOptions?: readonly string[];
  /**
   * What makes the agent read-only: `words` replace these flags, and these options with their values. `isOwnSandbox`:
   * it uses a sandbox of its own for this, which does not work inside ours.
   */
  readonly readOnly?: {
    readonly instead: {
      readonly words: readonly string[];
      readonly flags: readonly string[];
      readonly options: readonly string[];
    };
    readonly isOwnSandbox?: true;
  };
  /** The agent never asks for permission, or its command line always has the flags for that. */
  readonly asksNothing?: true;
  /** The option that names its model, then its other spellings. */
  readonly modelOption?: readonly [option: string, ...others: string[]];
  /** The option for the dollars it may spend, and the variables that send it to models whose price it cannot know. */
  readonly budgetOption?: { readonly option: string; readonly unlessVariables: readonly string[] };
  /** How to send it a message while it works, for agents that take a flag for this. */
  readonly asides?: AgentAsides;
  /** The model in its own settings, for an agent whose output does not name it; otherwise only `modelOption` counts. */
  model?(place: AgentPlace): string | undefined;
  /** How much of its usage windows is used after a session, for an agent that writes this to a file of its own. */
  windows?(session: string, place: Pick<AgentPlace, 'env'>): readonly QuotaWindow[];
  /** Matches a user's flag that makes the agent work unattended. */
  readonly unattended?: RegExp;
  /** The agent refuses to work unattended as root unless this variable is set. */
  readonly refusesRootUnless?: string;
  readonly login?: AgentLogin;
  /** The agent loads the ralph plugin, whose hooks `ralph stories` relies on. */
  readonly loadsPlugin?: true;
  /** The variable that sets how many times in a row a Stop hook can refuse before the agent overrides it. */
  readonly stopHookCap?: string;
  /** Flags that a task's runs add unless the user has set them. */
  readonly taskFlags?: readonly Wanted[];
  /** What makes it read its prompt from stdin and exit: a flag, or a subcommand as its first argument. */
  readonly readsStdin?: { readonly flags?: readonly string[]; readonly words?: readonly string[] };
  readonly sandbox?: AgentAccess;
  /** The variables by which users point it to another server. */
  readonly baseUrls?: readonly string[];
  /** Files in a project that name programs the agent starts. Files with only instructions stay writable for it. */
  readonly projectConfig?: readonly string[];
  /** Variables (or their prefixes) that hold its account or lead to its server: a rehearsal withholds them. */
  readonly accountVariables?: readonly string[];
  /** How to make it talk to a scripted model and to nothing else; absent if that is impossible. */
  readonly rehearsal?: AgentRehearsal;
  /** How it behaves in a terminal, where people talk to it; absent if this was never tested. */
  readonly terminal?: TerminalProfile;
  readonly tellsCost: 'dollars' | 'tokens' | 'nothing';
  readonly tested: string;
  commandLine(call: AgentCall): CommandLine;
  parser(choice: AgentChoice): AgentParser;
}

/** A file that is empty until there is a message for the agent, which then sees it once, after its next tool call. */
export interface AgentAsides {
  flags(file: string): Wanted;
  /** The file's content for this message. */
  content(text: string): string;
}

/** Where the agent is started, and with which of the user's flags. */
export interface AgentPlace {
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/**
 * What shows that a person has logged in: one of these variables is set, or one of these files exists. No file is read.
 * Paths that begin with `~/` are in the home folder, with `$/` in the agent's own folder (`sandbox.state`); all others
 * are relative to the work tree.
 */
export interface AgentLogin {
  readonly variables: readonly string[];
  readonly files: readonly string[];
  /** What may hold a login that cannot be seen; absent if it can always be somewhere else, such as in a keychain. */
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
  /** Lines that are on its screen only when it is ready. */
  readonly readyLines?: readonly RegExp[];
  /** Flags that make it work without a screen, in addition to those of `readsStdin`. */
  readonly headlessFlags?: readonly string[];
  /** Subcommands that start no conversation, in addition to those of `readsStdin`. */
  readonly subcommands: readonly string[];
  /** The fault that a line printed by the agent reports; null if it reports none. */
  faultIn(line: string, now: Instant): Fault | null;
}

/** `flags` are the user's own: a profile adds none that is already there. */
export interface AgentCall extends AgentChoice {
  readonly prompt: string;
  /** What `helpArguments` printed; null if the agent was not asked, or did not answer. */
  readonly help: string | null;
  /** The caller wants the prompt on stdin if the agent can read it there. */
  readonly wantsStdin?: boolean;
  /** The agent runs in our sandbox: its own would not work inside it, and would protect nothing more. */
  readonly isEnclosed?: boolean;
  /** The file for the agent's last message, if it can write one. */
  readonly answerFile: string;
}

export interface CommandLine {
  readonly argv: readonly [string, ...string[]];
  /** Whether the prompt goes to stdin. Otherwise it is an argument, and stdin is closed. */
  readonly promptOnStdin: boolean;
}

export interface AgentParser {
  parse(line: string): readonly AgentEvent[];
  /** Events that are still due at the end of the output. */
  end?(): readonly AgentEvent[];
  /** Reads one line of stderr; without this, the line is only shown. */
  parseStderr?(line: string): readonly AgentEvent[];
  /**
   * True if `text` events hold only the agent's own words. Then a run that worked ends with a `result` event; a run
   * without one was cut off. False for plain text, which may echo the prompt.
   */
  readonly hasStructure: boolean;
  /** The agent's answer is in the answer file, not on stdout. */
  readonly answersInFile?: boolean;
}

export interface AgentRehearsal {
  /** Set for every command that is rehearsed: which agent it will call is not known in advance. */
  variables(place: RehearsalPlace): Readonly<Record<string, string>>;
  /** The agent's temporary configuration: file contents by path, relative to its folder. */
  files(place: RehearsalPlace): Readonly<Record<string, string>>;
  /**
   * The user's real permission files for the agent, by path relative to the folder; a run without them would fail. A
   * permission that only the rehearsal has would hide that the real run fails.
   */
  readonly copies?: (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>;
  readonly sharedFolders?: readonly SharedFolder[];
  readonly kept?: readonly string[];
}

export interface RehearsalPlace {
  readonly url: string;
  readonly folder: string;
  /** Where the command runs: agents ask whether to trust this folder. */
  readonly cwd: string;
}

/** A folder of many programs, named by a variable: the others still see their part, the agent finds its own empty. */
export interface SharedFolder {
  readonly variable: string;
  /** Its default place in the home folder, if the variable is not set. */
  readonly usual: string;
  readonly own: string;
}

/** Linux limits a single argument to 128 KiB; this leaves some room for the encoding. */
export const LONGEST_ARGUMENT = 100_000;

/** A prompt that looks like a flag, or is too long for an argument, also goes to stdin. */
export function needsStdin({ prompt, wantsStdin = false }: Pick<AgentCall, 'prompt' | 'wantsStdin'>): boolean {
  return wantsStdin || prompt.startsWith('-') || Buffer.byteLength(prompt) > LONGEST_ARGUMENT;
}

/** A rehearsal's key, which is not secret, and the provider and model for agents that require one. */
export const REHEARSAL = { key: 'dummy-key-0000000000000000000', provider: 'rehearsal', model: 'scripted' } as const;

export function inFolder(folder: string, names: readonly string[]): string[] {
  return names.map((name) => `${folder}/${name}`);
}
