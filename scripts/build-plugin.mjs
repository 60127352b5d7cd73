/**
 * `npm run build:plugin`: copies the built files into plugin/, where they are committed, so that the plugin
 * works from a bare clone or a marketplace. With --check it copies nothing, and fails if the committed files
 * differ from the built ones.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dist } from './dist-folder.mjs';
import { ensureBuilt, ensureInstalled, readOrNull, root } from './setup.mjs';

/** The folders of the plugin that contain only built files, and which files of dist/ go into them. */
const BUILT = {
  'hooks/built': [
    'hooks/stories-stop.cjs',
    'hooks/context-monitor.cjs',
    'hooks/session-start.cjs',
    'hooks/pre-tool-use.cjs',
    'hooks/pre-tool-use-judge.cjs',
    'hooks/session-loop.cjs',
  ],
  cli: ['plugin-cli/stories.cjs', 'plugin-cli/price-list.cjs'],
};

const plugin = join(root, 'plugin');

ensureInstalled();
await ensureBuilt();
const wrong = differences();
if (process.argv.includes('--check')) {
  for (const { path, what } of wrong) console.log(`plugin/${path} ${what}: run npm run build:plugin and commit`);
  process.exitCode = wrong.length === 0 ? 0 : 1;
} else {
  for (const { path, content } of wrong) put(join(plugin, path), content);
  console.log(`plugin: ${wrong.length} files changed`);
}

/** `content` is null for a file that is no longer built. */
function differences() {
  return Object.entries(BUILT).flatMap(([folder, sources]) => {
    const wanted = new Map(sources.map((source) => [source.split('/').at(-1), readOrNull(join(dist, source))]));
    const present = existsSync(join(plugin, folder)) ? readdirSync(join(plugin, folder)) : [];
    const stale = present.filter((name) => !wanted.has(name)).map((name) => [name, null]);
    return [...wanted, ...stale].flatMap(([name, content]) => {
      const path = `${folder}/${name}`;
      const committed = readOrNull(join(plugin, path));
      if (committed === content) return [];
      const what = content === null ? 'is not built any more' : 'differs from a fresh build';
      return [{ path, content, what: committed === null ? 'is missing' : what }];
    });
  });
}

function put(path, content) {
  if (content === null) {
    rmSync(path);
    return;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
