/** What `list` and `status` have in common: rows of tasks, as tables and as JSON. */
import { formatGoSeconds } from '../../core/text/duration.ts';
import { type Activity, activityOf } from '../../loops/tasks/folder/activity.ts';
import { type SurveyedTask, surveyTask } from '../../loops/tasks/folder/survey.ts';
import { isLooping } from '../../loops/tasks/runs/liveness.ts';
import { clockTime } from '../terminal/words.ts';
import { inOneCell, tableLines } from './table.ts';
import type { ScopeFlags, Terminal } from './terminal.ts';

export interface SurveyFlags extends ScopeFlags {
  readonly status?: string;
  readonly json?: boolean;
  readonly activity?: boolean;
  /** In milliseconds. */
  readonly driftAfter: number;
}

export type Row = SurveyedTask & { readonly activity: Activity | null };

/** A few words of `--status`; any other is a status or a state itself. */
const FILTERS: Readonly<Record<string, (task: SurveyedTask) => boolean>> = {
  '': () => true,
  active: ({ status }) => status === 'running',
  done: ({ done }) => done,
  all_finished: ({ done }) => done,
  pending: ({ status }) => status === '-',
  queued: ({ status }) => status === '-',
};
const STATUSES = 'running completed failed stopped blocked partial_failure unknown unreadable'.split(' ');

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
  const filter = Object.hasOwn(FILTERS, wanted) ? FILTERS[wanted] : undefined;
  if (filter !== undefined) return rows.filter(filter);
  if (unknownKeeps === 'none' || STATUSES.includes(wanted)) {
    return rows.filter(({ status, state: whole }) => status === wanted || whole === wanted);
  }
  terminal.warn(`warning: unknown --status filter ${JSON.stringify(flags.status)}; showing all tasks`);
  return rows;
}

/** The fields of a row that are there only when they say something. */
export function optionalFields({ dependsOn, blockedBy, activity }: Row): object {
  return {
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
    ...(activity === null ? {} : { activity }),
  };
}

export async function showJson(data: object, terminal: Terminal): Promise<void> {
  await terminal.show(JSON.stringify(data, null, 2));
}

/** With the columns of `--activity`, if it is asked for. */
export async function showTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  terminal: Terminal,
  { activity }: { readonly activity?: boolean } = {},
): Promise<void> {
  const lines = tableLines(activity === true ? [...header, ...ACTIVITY_HEADER] : header, rows);
  for (const line of lines) await terminal.show(line);
}

const ACTIVITY_HEADER = ['LAST_BUS', 'LAST_OUTPUT', 'MEANINGFUL_AGE', 'DRIFT_RISK', 'DRIFT_REASON'];

export function activityCells(activity: Activity | null): string[] {
  if (activity === null) return [];
  const { latest_bus_message: bus, latest_output_activity_at: output } = activity;
  return [
    bus === null ? '-' : `${bus.timestamp} ${bus.type} ${bus.body_preview}`,
    output === null ? '-' : clockTime(Date.parse(output)),
    ageCell(activity),
    activity.analysis_drift_risk ? 'risk' : 'ok',
    activity.drift_reason,
  ];
}

/** For the rows of `--concise`, which are cut at tabs. */
export function conciseActivity(activity: Activity | null): string[] {
  if (activity === null) return [];
  const { latest_bus_message: bus, latest_output_activity_at: output } = activity;
  const said = [bus?.type, bus?.timestamp, bus?.body_preview].map((text) => inOneCell(text ?? ''));
  return [ageCell(activity), String(activity.analysis_drift_risk), ...said, output ?? '-'];
}

function ageCell({ meaningful_signal_age_seconds: age }: Activity): string {
  return age === null ? '-' : formatGoSeconds(age * 1000);
}
