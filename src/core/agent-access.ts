/** What agents need of the machine that a sandbox must let through. Their profiles say it, runners carry it out. */

export interface AgentAccess {
  /** What it asks for at its work. */
  readonly hosts: readonly string[];
  readonly state: StateFolders;
  /** How it runs in a Docker Sandbox; absent where it cannot. */
  readonly docker?: DockerTemplate;
}

/** Where an agent keeps its state, which it must be able to write, and what in there tells it or others what to run. */
export interface StateFolders {
  /** Set by users who keep it elsewhere; one place then holds everything. */
  readonly variable?: string;
  /** The folder in that one, for a variable that stands for the home folder. */
  readonly inside?: string;
  /** In the home folder; made where they are missing, as the agent itself would. */
  readonly usual: readonly string[];
  /** In each of those: what a later run outside of the sandbox would obey. */
  readonly trustedConfig: readonly string[];
  /** The same; these would mean something even when they are empty, so what appears there is quarantined. */
  readonly watched?: readonly string[];
  /** The same, in the place that the variable names: otherwise it lies in the home folder itself, which is read-only. */
  readonly watchedElsewhere?: readonly string[];
  /** Of those: what the agent fills by itself, and does without. */
  readonly filled?: readonly string[];
  /** What begins so is refused and does not matter: the agent tries, and goes on. */
  readonly quiet?: readonly string[];
}

export interface DockerTemplate {
  readonly name: string;
  readonly hosts: readonly string[];
  /** The template gives this flag to the agent itself. */
  readonly flagInside: string;
  /** In the home folder: a folder and a file of JSON that hold the login. */
  readonly login: { readonly folder: string; readonly file: string };
}

/** Of all agents of a loop. */
export interface AgentsAccess {
  readonly agents: readonly ({ readonly command: string } & Partial<AgentAccess>)[];
  /** What those are called that run in a Docker Sandbox, whether or not the loop has them. */
  readonly inDocker: readonly string[];
  /** In the work tree, whichever agent it is that a user runs there later: what names programs to start. */
  readonly projectConfig: readonly string[];
  /** The variables by which a user sends an agent to another server. */
  readonly baseUrls: readonly string[];
}
