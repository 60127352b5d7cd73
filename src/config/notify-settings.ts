/** Reads `notify` from the settings: the receivers in the user's own file, and what a project sets for its loops. */
import { statSync } from 'node:fs';
import type * as z from 'zod/mini';
import { RalphError } from '../core/error.ts';
import { NOTICE_EVENTS, type NoticeEvent } from '../core/notice.ts';
import { listed } from '../core/text/listed.ts';
import { ifThere } from '../process/files.ts';
import {
  OWN,
  type ProjectNotify,
  parseQuietHours,
  projectForm,
  type QuietHours,
  type Receiver,
  type UserNotify,
  userForm,
} from './notify-schema.ts';
import { describe, LOCAL_FILE, parseLayer, pathText, readText, SETTINGS_FILE } from './settings.ts';
import { withPlaces } from './settings-places.ts';
import { userSettingsFile, type Variables } from './user-file.ts';

export interface NotifySettings {
  readonly receivers: Readonly<Record<string, Receiver>>;
  readonly quiet: QuietHours | null;
  readonly breakThrough: readonly NoticeEvent[];
  /** The events that are sent. */
  readonly events: readonly NoticeEvent[];
  readonly file: string;
  /** Others on this machine can read the file, with the secrets in it. */
  readonly isOpen: boolean;
}

/** Sent during quiet hours by default: an agent waits for an answer, or a loop was tampered with. All else can wait. */
const BREAK_THROUGH: readonly NoticeEvent[] = ['blocked', 'tampered'];

/** Null if there are no receivers. */
export function readNotifySettings(variables: Variables): NotifySettings | null {
  const file = userSettingsFile(variables);
  const text = file === null ? null : readText('/', file);
  if (file === null || text === null) return null;
  const { receivers = {}, quietHours, breakThrough, ...filter } = userPart(text, file);
  if (Object.keys(receivers).length === 0) return null;
  const quiet = quietHours === undefined ? null : parseQuietHours(quietHours);
  const mode = ifThere(() => statSync(file).mode) ?? 0;
  const isOpen = (mode & 0o044) !== 0;
  return { receivers, quiet, breakThrough: breakThrough ?? BREAK_THROUGH, events: eventsOf(filter), file, isOpen };
}

/** The events that a project's loops send. No project can suppress the message that a loop was tampered with. */
export function projectEvents(cwd: string): readonly NoticeEvent[] {
  const said = [SETTINGS_FILE, LOCAL_FILE].flatMap((file) => {
    const text = readText(cwd, file);
    return text === null ? [] : [projectPart(text, file)];
  });
  const wanted = eventsOf(Object.assign({}, ...said) as ProjectNotify);
  return NOTICE_EVENTS.filter((event) => event === 'tampered' || wanted.includes(event));
}

function eventsOf({ mute = false, events }: ProjectNotify): readonly NoticeEvent[] {
  return mute ? [] : (events ?? NOTICE_EVENTS);
}

function userPart(text: string, file: string): UserNotify {
  const layer = parseLayer(text, file, { isUsers: true });
  const { data, error } = userForm.safeParse(layer);
  if (error !== undefined) throw invalid(error.issues, layer, file);
  return data.notify ?? {};
}

function projectPart(text: string, file: string): ProjectNotify {
  const layer = parseLayer(text, file);
  const { data, error } = projectForm.safeParse(layer);
  if (error !== undefined) throw invalid(error.issues, layer, file);
  return data.notify ?? {};
}

function invalid(issues: readonly z.core.$ZodIssue[], layer: unknown, file: string): RalphError {
  const faults = issues.map((issue) => describe(issue, layer));
  const placed = issues.map((issue) => ({ ...issue, path: pathThatIsThere(layer, issue.path) }));
  const lines = withPlaces(faults, placed, [{ file, layer, isSecret: true }]);
  const keys = issues.map((issue) =>
    pathText(issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path),
  );
  const isMisplaced = issues.every(({ message }) => message.startsWith(OWN));
  const hint = isMisplaced ? `Remove ${listed(keys, 'and')} from ${file}.` : `Fix ${listed(keys, 'and')} in ${file}.`;
  return new RalphError('SETTINGS', lines.join('\n'), { hint });
}

/** A missing key has no position, so this ends at the object that lacks it. */
function pathThatIsThere(layer: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  const [key, ...rest] = path;
  if (key === undefined || typeof layer !== 'object' || layer === null || !Object.hasOwn(layer, key)) return [];
  return [key, ...pathThatIsThere((layer as Record<PropertyKey, unknown>)[key], rest)];
}
