/** Where a user's own settings are. Nothing here is slow to load: hooks use it. */
import { isAbsolute, join } from 'node:path';
import { ifThere, readPlainText } from '../process/files.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const USER_FILE = 'ralph/settings.json';

/** Null where there is no place for it. */
export function userSettingsFile({ XDG_CONFIG_HOME = '', HOME = '' }: Variables): string | null {
  // The specification of these folders has a relative path ignored.
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, USER_FILE);
  return isAbsolute(HOME) ? join(HOME, '.config', USER_FILE) : null;
}

/** The text of the user's own settings where they may name a receiver of notifications; null where they do not. */
export function notifyingSettings(variables: Variables): string | null {
  const file = userSettingsFile(variables);
  if (file === null) return null;
  try {
    const text = ifThere(() => readPlainText(file)) ?? '';
    // Most users have none: they are spared what it takes to read them.
    return text.includes('"notify"') ? text : null;
  } catch {
    // What it is that cannot be read is said by the one that needs it.
    return null;
  }
}
