/** The checks that read the code without running it. Each counts as one test. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { environmentOfChildren, root } from './setup.mjs';

const CHECKS = [
  { name: 'tsc', command: ['typescript/bin/tsc', '--noEmit'] },
  { name: 'biome', command: ['@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--diagnostic-level=warn'] },
  { name: 'oxlint', command: ['oxlint/bin/oxlint'] },
  { name: 'knip', command: ['knip/bin/knip.js', '--no-progress', '--treat-config-hints-as-errors'] },
  // Without the tests as entry points: finds code that only a test calls.
  { name: 'knip without tests', command: ['knip/bin/knip.js', '--no-progress', '--production'] },
];

/** Problems of the package as it would be published; needs a build. */
const PACKAGE_CHECKS = [
  { name: 'publint', command: ['publint/src/cli.js', '--strict'] },
  { name: 'plugin is built', command: ['../scripts/build-plugin.mjs', '--check'] },
];

export async function runStaticChecks({ isBuilt }) {
  const checks = isBuilt ? [...CHECKS, ...PACKAGE_CHECKS] : CHECKS;
  const results = await Promise.all(checks.map(run));
  for (const { name, isGood, output } of results) {
    if (!isGood) console.log(output.trimEnd());
    console.log(`  ${isGood ? 'ok' : 'FAILED'} ${name}`);
  }
  const failures = results.filter(({ isGood }) => !isGood).map(({ name }) => name);
  return { passed: results.length - failures.length, failures };
}

function run({ name, command: [path, ...args] }) {
  return new Promise((resolve) => {
    const program = join(root, 'node_modules', path);
    const env = environmentOfChildren();
    execFile(process.execPath, [program, ...args], { cwd: root, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ name, isGood: error === null, output: stdout + stderr });
    });
  });
}
