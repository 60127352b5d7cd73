/** Reads `notify` of the settings: the receivers of the user's own file, and what a project says of its loops. */
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
  /** What is sent at all. */
  readonly events: readonly NoticeEvent[];
  readonly file: string;
  /** Others on this machine can read the file, and the secrets in it. */
  readonly isOpen: boolean;
}

/** Without an agent to wait for, a message can wait; a loop that was tampered with cannot. */
const BREAK_THROUGH: readonly NoticeEvent[] = ['blocked', 'tampered'];

/** Null where no receiver is named. */
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

/** What loops of a project are to tell. No project keeps it from being told that a loop was tampered with. */
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

/** What is missing has no place: the object that lacks it has one. */
function pathThatIsThere(layer: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  const [key, ...rest] = path;
  if (key === undefined || typeof layer !== 'object' || layer === null || !Object.hasOwn(layer, key)) return [];
  return [key, ...pathThatIsThere((layer as Record<PropertyKey, unknown>)[key], rest)];
}
