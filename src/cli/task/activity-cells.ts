/** What `--activity` adds to the rows of `list` and `status`. */
import { formatGoSeconds } from '../../core/text/duration.ts';
import type { Activity } from '../../loops/tasks/folder/activity.ts';
import { clockTime } from '../words.ts';
import { inOneCell } from './table.ts';

export const ACTIVITY_HEADER = ['LAST_BUS', 'LAST_OUTPUT', 'MEANINGFUL_AGE', 'DRIFT_RISK', 'DRIFT_REASON'];

export function activityCells(activity: Activity): string[] {
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
export function conciseActivity(activity: Activity): string[] {
  const { latest_bus_message: bus, latest_output_activity_at: output } = activity;
  return [
    ageCell(activity),
    String(activity.analysis_drift_risk),
    inOneCell(bus?.type ?? ''),
    inOneCell(bus?.timestamp ?? ''),
    inOneCell(bus?.body_preview ?? ''),
    output ?? '-',
  ];
}

function ageCell({ meaningful_signal_age_seconds: age }: Activity): string {
  return age === null ? '-' : formatGoSeconds(age * 1000);
}
