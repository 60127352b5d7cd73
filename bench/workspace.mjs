/**
 * Where the benchmarks run: a temporary folder with a copy of the built ralph (so that a build meanwhile changes
 * nothing), a project, the agents, and an environment with nothing else. What harnesses write goes into memory: on a
 * disk, a new file costs 10 µs or 1 ms, depending on other users of it (ext4 without a journal, after many deletions).
 */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../scripts/setup.mjs';
import { makeAgent } from './agent/make-agent.mjs';
import { writeTranscript } from './agent/transcript.mjs';

const TRANSCRIPTS = {
  small: { lines: 20, lineBytes: 2000 },
  large: { lines: 20_000, lineBytes: 1690, longLines: 5 },
  larger: { lines: 40_000, lineBytes: 1690, longLines: 10 },
  /** At 10 lines a second, it lasts longer than any measurement. */
  slow: { lines: 1000, lineBytes: 300 },
  silent: { lines: 20, lineBytes: 300 },
  busy: { lines: 20_000, lineBytes: 300 },
};

const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 512 * 1024 * 1024;

/** The share of a small workspace, whose cases only have to run. */
const SMALL_SHARE = 0.05;

export function openWorkspace(language, { isSmall = false } = {}) {
  /** How many of something a case uses. */
  const scaled = (count) => (isSmall ? Math.ceil(count * SMALL_SHARE) : count);
  const home = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  const output = mkdtempSync(join(outputPlace(), 'ralph-bench-'));
  for (const part of ['bin', 'dist/cli', 'package.json']) {
    cpSync(join(root, part), join(home, 'ralph', part), { recursive: true });
  }
  const project = join(home, 'project');
  mkdirSync(join(project, '.ralph'), { recursive: true });
  writeFileSync(join(project, '.ralph', 'settings.json'), '{"agent": {"command": "claude"}}');
  const repository = join(home, 'repository');
  cpSync(project, repository, { recursive: true });
  commitAll(repository, home);
  const state = join(output, 'state');
  const agents = new Map();
  const times = join(output, 'times');

  /** The folder of an agent that prints one of the transcripts. With `isTimed`, it writes its times into `times`. */
  const agent = (transcript, { isTimed = false, lineMs = null } = {}) => {
    const name = `${transcript}${isTimed ? '-timed' : ''}`;
    if (!agents.has(name)) {
      const path = join(home, `${name}.jsonl`);
      const { lines, ...others } = TRANSCRIPTS[transcript];
      writeTranscript(path, { lines: scaled(lines), ...others });
      const folder = join(home, 'agents', name);
      agents.set(name, makeAgent({ language, folder, transcript: path, times: isTimed ? times : null, lineMs }));
    }
    return agents.get(name);
  };
  /** Removes everything of an earlier run before the next one is measured. */
  const clear = () => {
    rmSync(state, { recursive: true, force: true });
    mkdirSync(state);
  };
  const environment = (agentFolder, extra = {}) => ({
    // The running node comes first: otherwise the shim of a version manager would be measured.
    PATH: [agentFolder, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    XDG_STATE_HOME: state,
    LANG: 'C.UTF-8',
    // The agent is called like Claude Code, which root may not run unattended without this.
    IS_SANDBOX: '1',
    ...extra,
  });

  clear();
  return {
    scaled,
    ralph: join(home, 'ralph', 'bin', 'ralph.cjs'),
    project,
    repository,
    output,
    state,
    times,
    agent,
    clear,
    environment,
    close: () => {
      for (const folder of [home, output]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** A repository with one commit. Outside of a repository, ralph keeps no work tree. */
function commitAll(folder, home) {
  const git = (...args) =>
    execFileSync('git', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'all');
}

/** A TMPDIR that is set wins, so that the same can be measured on a disk. */
function outputPlace() {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= MEMORY_NEEDED ? MEMORY : tmpdir();
  } catch {
    // Not on Linux, or not writable: use the disk.
    return tmpdir();
  }
}
