/** Finds a user's own settings. Hooks use it, so nothing here is slow to load. */
import { isAbsolute, join } from 'node:path';
import { ifThere, readPlainText } from '../process/files.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const USER_FILE = 'ralph/settings.json';

/** Null if no folder for it is known. */
export function userSettingsFile({ XDG_CONFIG_HOME = '', HOME = '' }: Variables): string | null {
  // The XDG specification says to ignore a relative path.
  if (isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, USER_FILE);
  return isAbsolute(HOME) ? join(HOME, '.config', USER_FILE) : null;
}

/** The text of the user's own settings if it may contain receivers of notifications; null if it does not. */
export function notifyingSettings(variables: Variables): string | null {
  const file = userSettingsFile(variables);
  if (file === null) return null;
  try {
    const text = ifThere(() => readPlainText(file)) ?? '';
    // Most users have none; for them, skip loading the code that parses the settings.
    return text.includes('"notify"') ? text : null;
  } catch {
    // The code that needs the settings reports why they cannot be read.
    return null;
  }
}
