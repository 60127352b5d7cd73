/** The contract of one agent's surroundings: what makes it talk to the scripted model and to nothing else. */

export interface AgentSurroundings {
  readonly agent: string;
  /** Set in the environment of whatever is rehearsed: nobody knows beforehand which agent it will call. */
  variables(place: Place): Readonly<Record<string, string>>;
  /** The agent's throw-away configuration: contents by path below its folder. */
  files(place: Place): Readonly<Record<string, string>>;
  /**
   * What the user has allowed the agent, and a run without it would fail: the real files by path below the folder. A
   * permission that only the rehearsal has would hide that the real run fails.
   */
  readonly copies?: (env: Readonly<Record<string, string | undefined>>) => Readonly<Record<string, string>>;
  /** For an agent whose configuration has no variable of its own. */
  readonly sharedFolders?: readonly SharedFolder[];
}

export interface Place {
  /** The scripted model's, without a path. */
  readonly url: string;
  /** The agent's own, thrown away afterwards. */
  readonly folder: string;
  /** Where the command runs: agents ask whether they may trust it. */
  readonly cwd: string;
}

/** A folder of many programs, by its variable: the others keep seeing theirs in it, the agent finds its own part empty. */
export interface SharedFolder {
  readonly variable: string;
  /** Where it is in the home folder when the variable is not set. */
  readonly usual: string;
  /** The agent's part of it. */
  readonly own: string;
}

/** No secret: the scripted model takes any key. */
export const DUMMY_KEY = 'dummy-key-0000000000000000000';

/** For agents that must be told a provider and a model; the others keep their own models' names. */
export const PROVIDER = 'rehearsal';
export const MODEL = 'scripted';
