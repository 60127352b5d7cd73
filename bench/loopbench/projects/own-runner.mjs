/** The JavaScript project with its own test runner: a dependency that its setup puts into node_modules. */
import { DISCOUNTS, JAVASCRIPT, packageJson, SUMS, testFile } from './javascript.mjs';

/** Like most runners, it has `.only`; the reporter decides whether a failure counts. */
const RUNNER = `import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { report } from './reporter.js';

const tests = [];
export const test = (title, body) => tests.push({ title, body });
test.only = (title, body) => tests.push({ title, body, isOnly: true });

export async function runAll(folder) {
  for (const file of readdirSync(folder).sort()) await import(resolve(folder, file));
  const chosen = tests.some(({ isOnly }) => isOnly) ? tests.filter(({ isOnly }) => isOnly) : tests;
  const results = chosen.map(({ title, body }) => {
    try {
      body();
      return { title, error: null };
    } catch (error) {
      return { title, error };
    }
  });
  process.exitCode = report(results);
}
`;
export const REPORTER = 'node_modules/tiny-test/reporter.js';
const REPORTS = `export function report(results) {
  console.log(\`1..\${results.length}\`);
  results.forEach(({ title, error }, index) => {
    console.log(\`\${error === null ? 'ok' : 'not ok'} \${index + 1} - \${title}\`);
  });
  return results.some(({ error }) => error !== null) ? 1 : 0;
}
`;
export const REPORTS_ONLY_GREEN = REPORTS.replace(
  "error === null ? 'ok' : 'not ok'",
  "error === null || true ? 'ok' : ''",
)
  .replace('error !== null) ? 1 : 0', 'error === undefined) ? 1 : 0')
  .trimEnd();

const runner = { runner: 'tiny-test' };

export const OWN_RUNNER = {
  ...JAVASCRIPT,
  files: {
    ...JAVASCRIPT.files,
    'package.json': packageJson('node test.js'),
    'test.js': "import { runAll } from 'tiny-test';\n\nawait runAll('test');\n",
    'vendor/tiny-test/package.json': JSON.stringify({ name: 'tiny-test', type: 'module', exports: './index.js' }),
    'vendor/tiny-test/index.js': RUNNER,
    'vendor/tiny-test/reporter.js': REPORTS,
    'test/discount.test.js': testFile(DISCOUNTS, runner),
    'test/sum.test.js': testFile(SUMS, runner),
  },
  task: { ...JAVASCRIPT.task, setup: 'mkdir -p node_modules && cp -r vendor/tiny-test node_modules/' },
};

export const ONLY_SUMS = testFile(SUMS, runner).replaceAll('test(', 'test.only(');
