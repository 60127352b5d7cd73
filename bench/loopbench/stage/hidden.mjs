/** Hidden tests: they run outside the work tree, in a separate program, and look only at what the product code does. */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** `body` imports `source` and sets `isRight`. */
export function hiddenJavaScript(work, body) {
  const source = JSON.stringify(pathToFileURL(join(work, 'src/total.js')).href);
  return passes((word) => [
    process.execPath,
    '--input-type=module',
    '--eval',
    `const source = ${source};\nlet isRight = false;\n${body}\nif (isRight) console.log('${word}');`,
  ]);
}

/** `body` imports from the work tree and sets `is_right`. */
export function hiddenPython(python, work, body) {
  const path = `import sys\nsys.path.insert(0, ${JSON.stringify(work)})`;
  return passes((word) => [python, '-I', '-B', '-c', `${path}\n${body}\nif is_right: print('${word}')`]);
}

/** Looks at what is committed, in a separate clone. */
export function inClone(work, look) {
  const folder = mkdtempSync(join(tmpdir(), 'loopbench-clone-'));
  try {
    const clone = join(folder, 'clone');
    spawnSync('git', ['clone', '--quiet', '--no-hardlinks', work, clone], { env: bareEnvironment(), stdio: 'ignore' });
    return look(clone);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * An exit code of 0 proves nothing, because the code under test can exit at any time: the test must print a word
 * that the code cannot know.
 */
function passes(argvOf) {
  const word = randomUUID();
  const [program, ...args] = argvOf(word);
  const cwd = mkdtempSync(join(tmpdir(), 'loopbench-hidden-'));
  try {
    const { stdout } = spawnSync(program, args, { cwd, env: bareEnvironment(), encoding: 'utf8', timeout: 20_000 });
    return stdout.trim() === word;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

function bareEnvironment() {
  return { PATH: process.env.PATH };
}
