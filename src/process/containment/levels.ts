/** The levels of containment, strongest first. They are named in the environment, which every command reads. */
export const CONTAINMENT_LEVELS = ['cgroup', 'pid-namespace', 'group'] as const;
export type ContainmentLevel = (typeof CONTAINMENT_LEVELS)[number];
