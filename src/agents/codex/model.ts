/** Which model Codex uses. Its output does not say, so its flags and settings are read, in the order that it uses. */
import { join } from 'node:path';
import { readPlainText } from '../../process/files.ts';
import { givenValue } from '../flags.ts';
import type { AgentPlace } from '../profile.ts';

export function codexModel({ flags, env, cwd }: AgentPlace): string | undefined {
  const home = env.CODEX_HOME ?? (env.HOME === undefined ? undefined : join(env.HOME, '.codex'));
  const files = [join(cwd, '.codex', 'config.toml'), ...(home === undefined ? [] : [join(home, 'config.toml')])];
  const texts = files.map(textOf);
  const setting = (table: string, key: string): string | undefined =>
    texts.map((text) => valueIn(text, table, key)).find((value) => value !== undefined);
  const profile = givenValue(flags, '-p', '--profile') ?? setting('', 'profile');
  return (
    givenValue(flags, '-m', '--model') ??
    overrideIn(flags) ??
    (profile === undefined ? undefined : setting(`profiles.${profile}`, 'model')) ??
    setting('', 'model')
  );
}

function textOf(file: string): string {
  try {
    return readPlainText(file);
  } catch {
    // Codex itself reports what is wrong with the file; here it just names no model.
    return '';
  }
}

/** `-c model="o3"`: any setting can be passed like this. */
function overrideIn(flags: readonly string[]): string | undefined {
  const values = flags.flatMap((flag) => /^(?:-c=?|--config=)?model=["']?([^"']+)["']?$/.exec(flag)?.[1] ?? []);
  return values.at(-1);
}

/** Reads one string of a TOML file; handles only values on one line. */
function valueIn(toml: string, table: string, key: string): string | undefined {
  let at = '';
  for (const line of toml.split('\n')) {
    const header = /^\s*\[([^\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) at = header.replaceAll(/["'\s]/g, '');
    const [, name, value] = /^\s*([\w-]+)\s*=\s*["']([^"']*)["']/.exec(line) ?? [];
    if (at === table && name === key) return value;
  }
  return undefined;
}
