/** Writes a new settings file, and next to it the schema with which editors complete it. */
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import type { CheckForm } from '../core/check.ts';
import { RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { makeFolders, writeFile } from '../process/files.ts';
import { editorSchema } from './schema.ts';
import { SETTINGS_FILE } from './settings.ts';

const SCHEMA_FILE = 'settings.schema.json';

export const WRITTEN_FILES = [SETTINGS_FILE, join(dirname(SETTINGS_FILE), SCHEMA_FILE)];

export function writeSettings(cwd: string, settings: Readonly<Record<string, unknown>>, schema: object): void {
  const path = join(cwd, SETTINGS_FILE);
  try {
    makeFolders(dirname(path));
    replace(join(dirname(path), SCHEMA_FILE), schema);
    replace(path, { $schema: `./${SCHEMA_FILE}`, ...settings });
  } catch (error) {
    throw new RalphError('SETTINGS_WRITE', `cannot write ${SETTINGS_FILE}: ${reasonOf(error)}`);
  }
}

export function settingsJsonSchema(kinds: readonly CheckForm[]): object {
  return z.toJSONSchema(editorSchema(kinds), { io: 'input', unrepresentable: 'any' });
}

function replace(path: string, value: object): void {
  const next = `${path}.next`;
  writeFile(next, `${JSON.stringify(value, null, 2)}\n`);
  renameSync(next, path);
}
