/**
 * Where the benchmarks run: a temporary folder with a copy of the built ralph (somebody may build meanwhile), a
 * project, the agents, and an environment that holds nothing else.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../scripts/setup.mjs';
import { makeAgent } from './agent/make-agent.mjs';
import { writeTranscript } from './agent/transcript.mjs';

const TRANSCRIPTS = {
  small: { lines: 20, lineBytes: 2000 },
  large: { lines: 20_000, lineBytes: 1690, longLines: 5 },
  larger: { lines: 40_000, lineBytes: 1690, longLines: 10 },
  /** Shown at 10 lines a second, it lasts longer than anybody looks. */
  slow: { lines: 1000, lineBytes: 300 },
};

export function openWorkspace(language) {
  const home = mkdtempSync(join(tmpdir(), 'ralph-bench-'));
  for (const part of ['bin', 'dist/cli', 'package.json']) {
    cpSync(join(root, part), join(home, 'ralph', part), { recursive: true });
  }
  const project = join(home, 'project');
  mkdirSync(join(project, '.ralph'), { recursive: true });
  writeFileSync(join(project, '.ralph', 'settings.json'), '{"agent": {"command": "claude"}}');
  const state = join(home, 'state');
  const agents = new Map();
  const times = join(home, 'times');

  /** The folder of an agent that prints one of the transcripts. `isTimed` ones write into `times`. */
  const agent = (transcript, { isTimed = false, lineMs = null } = {}) => {
    const name = `${transcript}${isTimed ? '-timed' : ''}`;
    if (!agents.has(name)) {
      const path = join(home, `${name}.jsonl`);
      writeTranscript(path, TRANSCRIPTS[transcript]);
      const folder = join(home, 'agents', name);
      agents.set(name, makeAgent({ language, folder, transcript: path, times: isTimed ? times : null, lineMs }));
    }
    return agents.get(name);
  };
  /** Nothing of an earlier run is there when the next one is measured. */
  const clear = () => {
    rmSync(state, { recursive: true, force: true });
    mkdirSync(state);
  };
  const environment = (agentFolder, extra = {}) => ({
    // The running node first: a version manager's shim would be measured instead.
    PATH: [agentFolder, dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: home,
    XDG_STATE_HOME: state,
    LANG: 'C.UTF-8',
    ...extra,
  });

  clear();
  return {
    ralph: join(home, 'ralph', 'bin', 'ralph.cjs'),
    project,
    state,
    times,
    agent,
    clear,
    environment,
    close: () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }),
  };
}
