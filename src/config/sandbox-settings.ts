/** What the project's settings say of a sandbox, for doors whose agent is not named in them. */
import { effectiveSettings, readLayers, type Settings } from './settings.ts';

export function sandboxSettings(cwd: string): Settings['sandbox'] {
  const { base, local } = readLayers(cwd);
  // These doors are told their agent elsewhere; settings without one are whole all the same.
  const named = base !== null && typeof base === 'object' ? base : {};
  return effectiveSettings({ base: { agent: { command: 'agent' }, ...named }, local }).sandbox;
}
