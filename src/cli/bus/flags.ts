/** What all commands on a bus take, to say which one is meant. */

export interface BusFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
}

export function busFlags({ project, task }: BusFlags): { readonly project?: string; readonly task?: string } {
  return { ...(project ? { project } : {}), ...(task ? { task } : {}) };
}
