/** What a sandbox must let agents use on the machine. Agent profiles declare it; runners enforce it. */

export interface AgentAccess {
  /** The hosts that it needs for its work. */
  readonly hosts: readonly string[];
  readonly state: StateFolders;
  /** How it runs in a Docker Sandbox; absent if it cannot. */
  readonly docker?: DockerTemplate;
}

/** Where an agent keeps its state, which it must be able to write, and what in there decides which programs run. */
export interface StateFolders {
  /** The environment variable with which users move the state; that one folder then replaces `usual`. */
  readonly variable?: string;
  /** The folder in that one, if the variable replaces the home folder. */
  readonly inside?: string;
  /** In the home folder; created if missing, as the agent itself would. */
  readonly usual: readonly string[];
  /** Paths in each of those folders that a later run outside of the sandbox would obey: read-only. */
  readonly trustedConfig: readonly string[];
  /** Likewise, but even an empty one has an effect, so there is no placeholder: what appears there is quarantined. */
  readonly watched?: readonly string[];
  /** Like `watched`, if `variable` is set: otherwise these are in the home folder itself, which is read-only. */
  readonly watchedElsewhere?: readonly string[];
  /** Of those, what the agent writes by itself and can do without: a refusal there is not reported. */
  readonly filled?: readonly string[];
  /** Path prefixes whose refusal is not reported: the agent tries to write there, fails and carries on. */
  readonly quiet?: readonly string[];
}

export interface DockerTemplate {
  readonly name: string;
  readonly hosts: readonly string[];
  /** The template passes this flag to the agent itself. */
  readonly flagInside: string;
  /** In the home folder: the folder and the JSON file that hold the login. */
  readonly login: { readonly folder: string; readonly file: string };
}

/** What all agents of a loop need. */
export interface AgentsAccess {
  readonly agents: readonly ({ readonly command: string } & Partial<AgentAccess>)[];
  /** The titles of all agents that can run in a Docker Sandbox, whether or not the loop uses them. */
  readonly inDocker: readonly string[];
  /** Paths in the work tree that name programs to start, for whichever agent a user runs there later. */
  readonly projectConfig: readonly string[];
  /** The environment variables that point an agent at another server. */
  readonly baseUrls: readonly string[];
}
