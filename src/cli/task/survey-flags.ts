/** What `list` and `status` have in common: the rows that `--status` keeps, what could not be read, JSON. */
import { type Activity, activityOf } from '../../loops/tasks/folder/activity.ts';
import { type SurveyedTask, surveyTask } from '../../loops/tasks/folder/survey.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import type { Terminal } from './terminal.ts';

export interface SurveyFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task?: string;
  readonly status?: string;
  readonly json?: boolean;
  readonly activity?: boolean;
  /** In milliseconds. */
  readonly driftAfter: number;
}

export type Row = SurveyedTask & { readonly activity: Activity | null };

const KNOWN_STATUSES = [
  'running',
  'active',
  'completed',
  'failed',
  'stopped',
  'blocked',
  'done',
  'all_finished',
  'queued',
  'pending',
  'partial_failure',
  'unknown',
  'unreadable',
];

/** Those that `--status` asks for. A word that is no status keeps none, or all, which is then told. */
export function surveyRows(
  { root, project }: { readonly root: string; readonly project: string },
  tasks: readonly string[],
  flags: SurveyFlags,
  terminal: Terminal,
  unknownKeeps: 'all' | 'none',
): Row[] {
  const now = Date.now();
  const state = terminal.environment.root;
  const rows = tasks.map((id) => {
    const task = surveyTask(root, project, id, { isLooping: (folder) => isLooping(folder, state) });
    for (const fault of task.faults) terminal.warn(`warning: ${fault}`);
    return { ...task, activity: flags.activity === true ? activityOf(task, flags.driftAfter, now) : null };
  });
  const wanted = flags.status?.trim().toLowerCase() ?? '';
  if (unknownKeeps === 'none' || wanted === '' || KNOWN_STATUSES.includes(wanted)) {
    return rows.filter((row) => hasStatus(row, wanted));
  }
  terminal.warn(`warning: unknown --status filter ${JSON.stringify(flags.status)}; showing all tasks`);
  return rows;
}

function hasStatus({ status, state, done }: SurveyedTask, wanted: string): boolean {
  switch (wanted) {
    case '':
      return true;
    case 'active':
      return status === 'running';
    case 'done':
    case 'all_finished':
      return done;
    case 'pending':
    case 'queued':
      return status === '-';
    default:
      return status === wanted || state === wanted;
  }
}

/** The fields of a row that are there only when they say something. */
export function optionalFields({ dependsOn, blockedBy, activity }: Row): object {
  return {
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
    ...(activity === null ? {} : { activity }),
  };
}

export function asJson(data: object): string {
  return JSON.stringify(data, null, 2);
}
