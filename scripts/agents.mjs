/**
 * Installs the pinned agent CLIs and test runners of the tests; `node scripts/agents.mjs claude pi` also prints
 * the paths of the programs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { platform, arch } = process;

/** The name of the platform in Codex's packages. */
const TRIPLE = `${arch === 'arm64' ? 'aarch64' : 'x86_64'}-${platform === 'darwin' ? 'apple-darwin' : 'unknown-linux-musl'}`;

/**
 * Exact versions, because for a bare name npm silently picks an older, engine-compatible release. The native program
 * comes first if there is one: it starts ten times faster than Codex's wrapper, and .bin/claude works only if npm was
 * allowed to run install scripts. The base name of a program says which agent it is.
 */
const AGENTS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    programs: [
      `@anthropic-ai/claude-code-${platform}-${arch}/claude`,
      `@anthropic-ai/claude-code-${platform}-${arch}-musl/claude`,
      '.bin/claude',
    ],
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    programs: [`@openai/codex-${platform}-${arch}/vendor/${TRIPLE}/bin/codex`, '.bin/codex'],
  },
  copilot: {
    package: '@github/copilot',
    version: '1.0.102',
    programs: [
      `@github/copilot-${platform}-${arch}/copilot`,
      `@github/copilot-linuxmusl-${arch}/copilot`,
      '.bin/copilot',
    ],
  },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', programs: ['.bin/gemini'] },
  opencode: {
    package: 'opencode-ai',
    version: '1.18.33',
    programs: [
      `opencode-${platform}-${arch}/bin/opencode`,
      `opencode-${platform}-${arch}-musl/bin/opencode`,
      '.bin/opencode',
    ],
  },
  pi: { package: '@earendil-works/pi-coding-agent', version: '0.74.2', programs: ['.bin/pi'] },
  qwen: { package: '@qwen-code/qwen-code', version: '0.15.10', programs: ['.bin/qwen'] },
};

/** The test runners whose tests a proof counts. */
const RUNNERS = {
  jest: { package: 'jest', version: '30.5.2', programs: ['.bin/jest'] },
  mocha: { package: 'mocha', version: '12.0.3', programs: ['.bin/mocha'] },
};

const KNOWN = { ...AGENTS, ...RUNNERS };

/** Installs the agent if necessary, and resolves to the absolute path of its program. */
export async function installAgent(name) {
  const agent = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  if (!agent) throw new Error(`No agent is called ${name}; known are ${Object.keys(KNOWN).join(', ')}.`);
  const folder = join(agentsFolder(), `${basename(agent.package)}@${agent.version}`);
  const present = findProgram(agent, folder);
  if (present) return present;

  await mkdir(agentsFolder(), { recursive: true });
  // A sibling, so that the rename stays on one file system and an incomplete installation is never seen.
  const fresh = await mkdtemp(`${folder}.installing-`);
  try {
    await writeFile(join(fresh, 'package.json'), '{"private":true}\n');
    await npmInstall(`${agent.package}@${agent.version}`, fresh);
    if (!findProgram(agent, fresh)) throw new Error(`npm installed ${agent.package}, but its program is missing.`);
    await putInPlace(agent, fresh, folder);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
  return findProgram(agent, folder);
}

function agentsFolder() {
  const { RALPH_AGENTS_DIR, XDG_CACHE_HOME } = process.env;
  return resolve(RALPH_AGENTS_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralph-harness', 'agents'));
}

function findProgram(agent, folder) {
  return agent.programs.map((path) => join(folder, 'node_modules', path)).find((path) => existsSync(path));
}

async function npmInstall(spec, folder) {
  const flags = ['--no-save', '--no-fund', '--no-audit', '--prefix', folder];
  // The output of npm goes to stderr: stdout has the path and nothing else.
  const npm = spawn('npm', ['install', ...flags, spec], { cwd: folder, stdio: ['ignore', 2, 2] });
  const [code, signal] = await once(npm, 'exit');
  if (code !== 0) throw new Error(`npm install ${spec} ended with ${signal ?? `exit code ${code}`}.`);
}

async function putInPlace(agent, fresh, folder) {
  // A folder without the program is a broken installation, made by something other than this file.
  if (existsSync(folder) && !findProgram(agent, folder)) await rm(folder, { recursive: true, force: true });
  try {
    await rename(fresh, folder);
  } catch (error) {
    // Another process was faster, and its installation is just as good.
    if (!findProgram(agent, folder)) throw error;
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2);
  try {
    if (names.length === 0) throw new Error(`Name one or more of ${Object.keys(KNOWN).join(', ')}.`);
    for (const name of names) console.log(await installAgent(name));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
