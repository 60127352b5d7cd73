/** What the project's settings say of a sandbox, for loop kinds whose agent is not named in them. */
import { deepMerge } from './merge.ts';
import { effectiveSettings, readLayers, type Settings } from './settings.ts';

export function sandboxSettings(cwd: string): Settings['sandbox'] {
  const { base, local } = readLayers(cwd);
  // These loop kinds are told their agent elsewhere; settings without one are whole all the same.
  return effectiveSettings({ base: deepMerge({ agent: { command: 'agent' } }, base ?? {}), local }).sandbox;
}
