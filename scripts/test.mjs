/**
 * `npm test`: prepares the clone, then runs the tiers that tell in a few minutes whether a change works. `npm test --
 * unit e2e` runs only those; `npm run test:all` runs every tier, as CI does; `npm run test:nightly` runs every sweep
 * (test/support/sweep.ts) whole, of which the others run a sample, CI a larger one. In CI, in nightly runs and with
 * --coverage it also prints how many lines of src/ were run. The last lines name what failed and what passed only at
 * the second try; the very last one is always `N passed, N failed`.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runVitest } from './run-vitest.mjs';
import { ensureBuilt, ensureInstalled, root, SetupError } from './setup.mjs';
import { runStaticChecks } from './static-checks.mjs';
import { ensureSystemPackages } from './system-packages.mjs';

const SANDBOX = ['bubblewrap', 'socat', 'ripgrep'];
/** For the sample projects of test/support/proof. */
const SAMPLES = ['go', 'pytest', 'make', ...(process.env.CI === 'true' ? ['cargo'] : [])];

/** `whyNotAlways`: why `npm test` without arguments leaves the tier out, except in CI. */
const FROM_OUTSIDE = 'it takes minutes to break the programs from outside';
const TIERS = [
  { name: 'static', needs: ['shellcheck', 'busybox'], usesBuild: true },
  { name: 'unit', needs: ['git', 'tmux', 'unshare'], usesBuild: false },
  { name: 'e2e', needs: ['git', 'tmux', 'unshare', 'ss', ...SAMPLES, ...SANDBOX], usesBuild: true },
  { name: 'swarm', needs: ['git', 'tmux', 'unshare', ...SANDBOX], usesBuild: true },
  { name: 'tasks', needs: ['git', 'unshare', ...SANDBOX], usesBuild: true },
  { name: 'stories', needs: ['git', 'unshare', ...SANDBOX], usesBuild: true },
  { name: 'across', needs: ['git', 'tmux', 'unshare'], usesBuild: true },
  { name: 'crash', needs: ['git', 'unshare'], usesBuild: true, whyNotAlways: FROM_OUTSIDE },
  { name: 'bad-input', needs: ['git', 'tmux', 'unshare'], usesBuild: true, whyNotAlways: FROM_OUTSIDE },
  {
    name: 'darwin',
    needs: ['git', 'tmux', 'unshare', 'ripgrep', 'busybox'],
    usesBuild: true,
    whyNotAlways: FROM_OUTSIDE,
  },
  {
    name: 'loopbench',
    needs: ['git', 'tmux', 'unshare', 'ss', 'faketime', 'pytest', ...SANDBOX],
    usesBuild: true,
    whyNotAlways: FROM_OUTSIDE,
  },
  { name: 'fleet', needs: ['git', 'postgres'], usesBuild: true },
  {
    name: 'agents',
    needs: ['git', 'tmux', 'unshare', ...SANDBOX],
    usesBuild: true,
    whyNotAlways: 'it downloads agent CLIs',
    downloads: ['claude', 'codex', 'copilot', 'gemini', 'opencode', 'pi', 'qwen', 'jest', 'mocha'],
  },
];

/** A tenth of the files that takes a third of the time. `npm test` without arguments runs half of them, others each day. */
const COSTLY = /sandbox|proof|in-docker/;

let passed = 0;
/** @type {string[]} */
const failures = [];
/** @type {string[]} */
const retries = [];
try {
  await runTiers(chooseTiers());
} catch (error) {
  console.log(`\n${error instanceof SetupError ? error.message : error.stack}`);
  failures.push('the run broke off');
}
for (const name of retries) console.log(`retried: ${name}`);
for (const name of failures) console.log(`failed: ${name}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length === 0 ? 0 : 1;

async function runTiers({ chosen, leftOut, leftOutFiles = [], measures }) {
  ensureInstalled();
  ensureSystemPackages([...new Set(chosen.flatMap(({ needs }) => needs))]);
  const missing = chosen.some(({ usesBuild }) => usesBuild) ? await ensureBuilt() : [];
  const lines = measures ? (await import('./merged-coverage.mjs')).measureLines() : null;
  for (const group of groupsOf(chosen, measures)) await runGroup(group, missing, { lines, leftOutFiles });
  failures.push(...((await lines?.print()) ?? []));
  for (const { name, whyNotAlways } of leftOut) {
    console.log(
      `tier ${name}: left out, because ${whyNotAlways}; \`npm test -- ${name}\` or \`npm run test:all\` runs it`,
    );
  }
  if (leftOutFiles.length > 0) {
    console.log(
      `${leftOutFiles.length} files about proofs and sandboxes: left out today; \`npm run test:all\` runs them`,
    );
  }
}

function chooseTiers() {
  const options = { all: { type: 'boolean' }, nightly: { type: 'boolean' }, coverage: { type: 'boolean' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.nightly === true) process.env.RALPH_NIGHTLY = '1';
  process.env.RALPH_SEED ??= String(Math.floor(Date.now() / 86_400_000));
  console.log(values.nightly === true ? 'sweeps: whole' : `sweeps: a sample, RALPH_SEED=${process.env.RALPH_SEED}`);
  const unknown = positionals.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw new SetupError(`no tier "${unknown}": ${TIERS.map(({ name }) => name).join(', ')}`);
  if (positionals.length > 0) {
    const chosen = TIERS.filter(({ name }) => positionals.includes(name));
    return { chosen, leftOut: [], measures: values.coverage === true };
  }
  const isAll = values.all === true || values.nightly === true || process.env.CI === 'true';
  const chosen = TIERS.filter(({ whyNotAlways }) => isAll || whyNotAlways === undefined);
  return {
    chosen,
    leftOutFiles: isAll ? [] : notToday(chosen),
    leftOut: TIERS.filter(({ whyNotAlways }) => !isAll && whyNotAlways !== undefined),
    measures: values.coverage === true || values.nightly === true || process.env.CI === 'true',
  };
}

function notToday(tiers) {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => path.endsWith('.test.ts') && COSTLY.test(path) && tiers.some(({ name }) => path.startsWith(`${name}/`)),
    )
    .sort();
  const day = Number(process.env.RALPH_SEED);
  return files.filter((_path, index) => (index + day) % 2 === 0).map((path) => `test/${path}`);
}

/**
 * Tiers that do not disturb each other run at the same time, so that no core is idle. Coverage is counted per process:
 * for it, unit tests run alone.
 */
function groupsOf(tiers, measures) {
  const first = measures ? ['static', 'unit'] : ['static'];
  const alone = (names) => tiers.filter(({ name }) => names.includes(name)).map((tier) => [tier]);
  const beside = tiers.filter(({ name }) => ![...first, 'agents'].includes(name));
  // Real agents have their own time limits.
  return [...alone(first), ...(beside.length === 0 ? [] : [beside]), ...alone(['agents'])];
}

async function runGroup(tiers, missing, how) {
  const began = performance.now();
  const title = `tier${tiers.length > 1 ? 's' : ''} ${tiers.map(({ name }) => name).join(', ')}`;
  console.log(`\n${title}`);
  const before = { passed, failures: failures.length, retries: retries.length };
  /** @type {string[]} */
  let slowest = [];
  for (const part of partsOf(tiers, missing, how)) {
    const result = await part();
    passed += result.passed;
    failures.push(...result.failures);
    retries.push(...(result.retries ?? []));
    slowest = result.slowest ?? [];
  }
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  if (slowest.length > 0) console.log(`slowest: ${slowest.join(', ')}`);
  const retried = retries.length - before.retries;
  console.log(
    `${title}: ${passed - before.passed} passed, ${failures.length - before.failures} failed, ` +
      `${retried > 0 ? `${retried} retried, ` : ''}${minutes} min`,
  );
}

function partsOf(tiers, missing, how) {
  const names = tiers.map(({ name }) => name);
  const tests = () => runVitest(names, how);
  if (names.includes('static')) return [() => buildIsWhole(missing), () => runStaticChecks({ isBuilt: true }), tests];
  return [...tiers.flatMap(({ downloads = [] }) => downloads).map((agent) => () => download(agent)), tests];
}

/** Counts only if it fails, because a download is no test. */
async function download(agent) {
  try {
    const { installAgent } = await import('./agents.mjs');
    await installAgent(agent);
    return { passed: 0, failures: [] };
  } catch (error) {
    return { passed: 0, failures: [`${agent} could not be installed: ${error.message}`] };
  }
}

function buildIsWhole(missing) {
  if (missing.length > 0) return { passed: 0, failures: [`the build lacks ${missing.join(', ')}`] };
  console.log('  ok build');
  return { passed: 1, failures: [] };
}
