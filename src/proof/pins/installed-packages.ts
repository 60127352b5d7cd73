/** The names of the JavaScript packages that a setup has installed: no other package may take one of them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere } from '../../process/files.ts';

/** `folders`: where a package manager may have put them. */
export function installedIn(folders: readonly string[]): string[] {
  const names = (folder: string): string[] => ifThere(() => readdirSync(folder)) ?? [];
  const all = folders.flatMap((folder) => {
    const modules = join(folder, 'node_modules');
    return names(modules).flatMap((name) =>
      name.startsWith('@') ? names(join(modules, name)).map((inside) => `${name}/${inside}`) : [name],
    );
  });
  return [...new Set(all)].filter((name) => !name.startsWith('.'));
}
