/** The JSON Schema of the settings file, for editors. */
import * as z from 'zod/mini';
import { settingsSchema } from './schema.ts';

export function settingsJsonSchema(): object {
  return z.toJSONSchema(settingsSchema, { io: 'input', unrepresentable: 'any' });
}
