/** Creates the benchmarks' agents: an executable named `claude` per transcript and kind, as adapters go by the name. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER = 'cc';

/** `c` if there is a compiler, because such a program starts fastest. Null if there is neither. */
export function agentLanguage() {
  if (works(COMPILER, '--version')) return 'c';
  return works('perl', '-MTime::HiRes', '-e', '1') ? 'perl' : null;
}

/** Returns the folder to put into PATH. `times` is a file that gets the start and end of each run, in nanoseconds. */
export function makeAgent({ language, folder, transcript, times = null, lineMs = null }) {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'claude');
  if (language === 'c') compile(program, { TRANSCRIPT: transcript, TIMES: times, LINE_MS: lineMs });
  else writePerl(program, { TRANSCRIPT: transcript, TIMES: times ?? '', LINE_MS: lineMs ?? 0 });
  return folder;
}

function compile(program, definitions) {
  const given = Object.entries(definitions).filter(([, value]) => value !== null);
  const flags = given.map(([name, value]) => `-D${name}=${JSON.stringify(value)}`);
  const source = fileURLToPath(new URL('claude.c', import.meta.url));
  // Static if the machine can: the dynamic linker is half the cost of a start.
  if (works(COMPILER, '-O2', '-static', ...flags, source, '-o', program)) return;
  const { status, stderr, error } = spawnSync(COMPILER, ['-O2', ...flags, source, '-o', program], { encoding: 'utf8' });
  if (status !== 0) throw error ?? new Error(`${COMPILER} could not compile the agent\n${stderr}`);
}

function writePerl(program, definitions) {
  const source = readFileSync(new URL('claude.pl', import.meta.url), 'utf8');
  const constants = Object.entries(definitions).map(([name, value]) => `use constant ${name} => ${literal(value)};\n`);
  writeFileSync(program, `#!/usr/bin/perl\n${constants.join('')}${source}`);
  chmodSync(program, 0o755);
}

function literal(value) {
  return typeof value === 'number' ? String(value) : `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
}

function works(command, ...args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
