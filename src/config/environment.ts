/** Reads the process's environment: apart from `config/`, only hooks and opencode's plugin may do that. */
import { join, resolve } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { Choosable } from '../core/system-fault.ts';
import { type Mask, maskFor } from '../core/text/mask.ts';
import { CONTAINMENT_LEVELS, type ContainmentLevel } from '../process/containment/levels.ts';
import { type StateRoot, stateRoot } from '../state/paths.ts';

export interface Environment {
  /** Passed to the programs that ralph starts. */
  readonly variables: NodeJS.ProcessEnv;
  /** Masks the secrets among them, and anything that looks like one. */
  readonly mask: Mask;
  readonly root: StateRoot;
  readonly swarmHome: string;
  /** How long a second of `swarm`'s loop is, in milliseconds; tests shorten it. */
  readonly swarmSecondMs: number;
  readonly containment: ContainmentLevel | null;
  /** False if the user wants no colour (NO_COLOR), or the terminal has none. */
  readonly color: boolean;
  /** The terminal takes only text: no line can be redrawn in place. */
  readonly isDumbTerminal: boolean;
  /** How often a loop prints where it is when its output is not a terminal; tests shorten it. */
  readonly heartbeatMs: number;
  /** How long a second is when notifications wait or are retried, in milliseconds; tests shorten it. */
  readonly notifySecondMs: number;
}

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  return {
    variables,
    mask: maskFor(variables),
    root: stateRoot(variables),
    swarmHome: swarmHomeOf(variables),
    swarmSecondMs: Number(variables.SWARM_SECOND_MS) || 1000,
    containment: readContainment(variables.RALPH_CONTAINMENT),
    color: (variables.NO_COLOR ?? '') === '' && variables.TERM !== 'dumb',
    isDumbTerminal: variables.TERM === 'dumb',
    heartbeatMs: Number(variables.RALPH_HEARTBEAT_MS) || 60_000,
    notifySecondMs: Number(variables.RALPH_NOTIFY_SECOND_MS) || 1000,
  };
}

/** For messages that are printed before anything else is read. */
export const ownMask = (): Mask => maskFor(process.env);

/** Holds the command of the rehearsal, for programs that run inside it. */
export const REHEARSAL_VARIABLE = 'RALPH_REHEARSAL';

/** The prefix for a command that must stay inside the current rehearsal, `ralph rehearse -- `; empty for none. */
export function rehearsalPrefix(variables: NodeJS.ProcessEnv = process.env): string {
  const command = variables[REHEARSAL_VARIABLE] ?? '';
  return command === '' ? '' : `${command} -- `;
}

export const isRehearsed = (variables: NodeJS.ProcessEnv): boolean => rehearsalPrefix(variables) !== '';

/** Folders of ralph that people can move, and how. */
export function choosableFolders(variables: NodeJS.ProcessEnv = process.env): Choosable[] {
  return [
    { folder: stateRoot(variables).path, choose: 'set XDG_STATE_HOME to a directory that you can write to' },
    { folder: swarmHomeOf(variables), choose: 'set SWARM_HOME to a directory that you can write to' },
  ];
}

function swarmHomeOf({ SWARM_HOME, HOME }: NodeJS.ProcessEnv): string {
  return resolve(SWARM_HOME || join(HOME || '/', '.swarm'));
}

function readContainment(value: string | undefined): ContainmentLevel | null {
  if (value === undefined || value === '') return null;
  const level = CONTAINMENT_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw new RalphError('ENVIRONMENT', `RALPH_CONTAINMENT is "${value}"`, {
    hint: `Set it to ${CONTAINMENT_LEVELS.join(', ')}, or leave it unset to use the strongest that works here.`,
  });
}
