/** `ralph rehearse`: runs a command against a scripted model, cut off from all networks, and reports its requests. */
import { existsSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { AGENTS, profileFor } from '../agents/index.ts';
import { installedAgent } from '../agents/installed.ts';
import { loginOf } from '../agents/login.ts';
import { REHEARSAL_VARIABLE } from '../config/environment.ts';
import { agentIn, readLayers, userSettingsFile } from '../config/settings.ts';
import { errnoOf, handled, RalphError } from '../core/error.ts';
import { linesOf } from '../core/text/lines-of.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { type Environment, withheldFrom } from '../rehearsal/environment.ts';
import { lookAtNetwork, type Network } from '../rehearsal/namespace.ts';
import { rehearse, runCommand } from '../rehearsal/rehearse.ts';
import { reportRehearsal } from '../rehearsal/report.ts';
import type { Script } from '../rehearsal/script/script.ts';
import { builtInScript, parseScript, STARTER_FILE, writeStarter } from '../rehearsal/script/script-file.ts';

export interface RehearseFlags {
  readonly script?: string;
  readonly init?: boolean;
  readonly record?: string;
  /** True: run only with the network shut off. False: leave it open. Not given: shut it off if that is possible. */
  readonly namespace?: boolean;
}

export interface RehearseIo {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Environment;
  readonly cwd: string;
  /** The command line of this process, which runs again inside the namespace. */
  readonly self: readonly string[];
}

/** A stream with a descriptor, such as `process.stdout`: the command inherits it and keeps its terminal. */
export interface Output {
  readonly fd: number;
  write(text: string): unknown;
}

const REHEARSABLE = AGENTS.flatMap(({ name, rehearsal }) => (rehearsal ? [name] : []));

export const REHEARSE_HELP = `
Agents: ${REHEARSABLE.join(', ')}.
The agent's own configuration is left alone, it gets no keys or tokens, and on
Linux with user namespaces it reaches nothing but the scripted model.

Examples:
  ralph rehearse -- ralph run -p "Write a note." -m 3
  ralph rehearse --init                       # then edit .ralph/rehearsal.yaml
  ralph rehearse -s trouble.yaml --record asked.jsonl -- codex exec "A note."`;

/** Resolves to the command's exit code. */
export async function rehearseCommand(
  command: readonly string[],
  flags: RehearseFlags,
  io: RehearseIo,
): Promise<number> {
  const { env, cwd } = io;
  if (flags.init === true) return init(command, flags, io);
  if (command.length === 0) throw wrongCall('There is no command to rehearse.');
  const stdio = ['inherit', io.stdout.fd, io.stderr.fd] as const;
  const network = flags.namespace === false ? null : lookAtNetwork(env);
  if (network?.kind === 'open' && flags.namespace === true) {
    throw new RalphError('rehearsal-network', `The network cannot be shut off: ${network.why}.`, {
      hint: `${network.hint}; without --namespace it is left open`,
    });
  }
  if (network?.kind === 'can-shut') {
    return runCommand({ command: network.inside(io.self), env: { ...env, ...network.mark }, cwd, stdio });
  }
  const [script, remark] = await chooseScript(flags, cwd);
  const recordTo = flags.record === undefined ? {} : await checkRecord(resolve(cwd, flags.record));
  const rehearsed = { ...env, [REHEARSAL_VARIABLE]: rehearsalOf(flags) };
  const { exitCode, requests } = await rehearse({ script, command, env: rehearsed, cwd, stdio, ...recordTo });
  // Reported, because a guardrail may need one of them, too.
  const withheld = withheldFrom(env);
  const remarks = linesOf(
    remark,
    flags.record !== undefined && `Requests: in ${flags.record}`,
    withheld.length > 0 && `Withheld, unlike in the real run: ${withheld.join(', ')}`,
    ...loginRemarks(command, io),
    remarkOn(network),
  );
  io.stderr.write(reportRehearsal({ script, requests, remarks }));
  return exitCode;
}

/** The rehearsal gives the agent a login, so a missing one would show only in the real run. */
function loginRemarks(command: readonly string[], { env, cwd }: RehearseIo): string[] {
  const named = AGENTS.filter(({ name }) => command.some((word) => basename(word) === name));
  // If the settings cannot be read, the command itself says so.
  const set = handled(
    () => agentIn(readLayers(cwd, userSettingsFile(env))),
    () => undefined,
  );
  const meant = set === undefined ? installedAgent(env.PATH, cwd) : profileFor(set);
  const agents = named.length > 0 ? named : meant === null ? [] : [meant];
  const out = agents.filter((agent) => loginOf(agent, env, cwd).is === 'out');
  return out.map(
    ({ title, login }) => `Login: no login of ${title} was found for the real run; to log in: ${login?.how}`,
  );
}

function remarkOn(network: Exclude<Network, { kind: 'can-shut' }> | null): string {
  if (network === null) return 'Network: left open, as asked';
  if (network.kind === 'open') return `Network: left open, because ${network.why} (${network.hint})`;
  return 'Network: shut off by a namespace; only its loopback could be reached';
}

/** The command line, up to `--`, that repeats this rehearsal. */
function rehearsalOf({ script, record, namespace }: RehearseFlags): string {
  const words = linesOf(
    'ralph rehearse',
    script !== undefined && `-s ${quoteWord(script)}`,
    record !== undefined && `--record ${quoteWord(record)}`,
    namespace !== undefined && (namespace ? '--namespace' : '--no-namespace'),
  );
  return words.join(' ');
}

/** The script, and unless the user named it, a remark for the report about where it comes from. */
async function chooseScript({ script: named }: RehearseFlags, cwd: string): Promise<[Script, remark?: string]> {
  if (named !== undefined) return [await loadScript(resolve(cwd, named))];
  const starter = resolve(cwd, STARTER_FILE);
  if (existsSync(starter)) return [await loadScript(starter), `Script: ${STARTER_FILE}`];
  const remark = `Script: built in; \`ralph rehearse --init\` writes it to ${STARTER_FILE}, where you can change it`;
  return [builtInScript(cwd), remark];
}

async function loadScript(path: string): Promise<Script> {
  const hint = 'Name a YAML or JSON file with --script, or write one to start from with: ralph rehearse --init';
  const text = await readFile(path, 'utf8').catch(
    refused('rehearsal-script', `The script ${path} cannot be read`, hint),
  );
  return parseScript(text, path);
}

/** Checked before anything runs: a rehearsal that cannot be recorded is not the one that was asked for. */
async function checkRecord(path: string): Promise<{ recordTo: string }> {
  const hint = 'Name a file in a folder that exists and that you can write to.';
  const unwritable = refused('rehearsal-record', `Requests cannot be recorded in ${path}`, hint);
  await (await open(path, 'a', 0o600).catch(unwritable)).close();
  return { recordTo: path };
}

/** Explains an error of the system to people; anything else is a bug. */
function refused(code: string, message: string, hint: string): (error: unknown) => never {
  return (error) => {
    const why = errnoOf(error);
    throw why ? new RalphError(code, `${message} (${why}).`, { hint }) : error;
  };
}

async function init(command: readonly string[], { script }: RehearseFlags, io: RehearseIo): Promise<number> {
  if (command.length > 0) throw wrongCall('With --init nothing is run.');
  const path = script ?? STARTER_FILE;
  await writeStarter(io.cwd, path);
  const option = script === undefined ? '' : `--script ${path} `;
  io.stdout.write(
    `Wrote ${path}: what the model answers, turn by turn.\n` +
      `Try it: ralph rehearse ${option}-- ralph run -p "Write a note." -m 3\n`,
  );
  return 0;
}

function wrongCall(message: string): RalphError {
  return new RalphError('rehearsal-command', message, {
    hint: 'Name a command after "--", for example: ralph rehearse -- ralph run -p "Write a note."',
  });
}
