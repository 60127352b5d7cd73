/** A real agent that runs the loop inside its sessions: ralph's hooks are in the project, the model is scripted. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type HookGroup, INSTALLATIONS } from '../../../src/agents/session/installations.ts';
import type { Script } from '../../../src/rehearsal/script/script.ts';
import type { Exited } from '../../support/programs/program.ts';
import { type AgentScene, agentScene } from '../scene.ts';

const HOOK = resolve(import.meta.dirname, '../../../dist/hooks/session-loop.cjs');

export type HostAgent = 'codex' | 'gemini';

/** Shell commands that start the agent with the prompt in `$1`, in a new session or in the last one. */
const STARTS: Readonly<Record<HostAgent, { readonly begin: string; readonly resume: string }>> = {
  codex: {
    begin: `codex exec ${codexFlags()} "$1"`,
    resume: `codex exec resume --last ${codexFlags()} "$1"`,
  },
  gemini: { begin: `gemini ${geminiFlags()} -p "$1"`, resume: `gemini --resume latest ${geminiFlags()} -p "$1"` },
};

export interface HostedSession {
  readonly scene: AgentScene;
  /** Sends one prompt to a new session. */
  ask(script: Script, prompt: string): Promise<Exited>;
  /** Runs a line of shell with the functions `begin` and `resume`, which take a prompt. */
  inShell(script: Script, line: string): Promise<Exited>;
  /** The logs of all loops, one after the other. */
  log(): string;
  loops(): string[];
  /** The sessions that are in a loop. */
  inLoop(): string[];
  /** All texts that the model was sent, request by request. */
  asked(): string[];
}

export function hostedSession(agent: HostAgent, program: string, flags = ''): HostedSession {
  const files = hostFiles(agent);
  const scene = agentScene([program], projectFiles(files));
  onTestFinished(() => scene.remove());
  const [scriptFile, record] = [join(scene.folder, 'script.json'), join(scene.folder, 'requests.jsonl')];
  const loopsFolder = join(scene.state, 'ralph/loops');
  const loops = () => (existsSync(loopsFolder) ? readdirSync(loopsFolder).sort() : []);
  const sessions = join(scene.state, 'ralph/sessions');
  const inShell = (script: Script, line: string, ...args: string[]): Promise<Exited> => {
    writeFileSync(scriptFile, JSON.stringify(script));
    const { begin, resume } = STARTS[agent];
    const functions = `begin() { ${begin} ${flags} </dev/null; }; resume() { ${resume} ${flags} </dev/null; }`;
    const command = ['sh', '-c', `${functions}; ${line}`, 'sh', ...args];
    return scene.ralphRehearse(['--script', scriptFile, '--record', record, '--', ...command]);
  };
  return {
    scene,
    inShell,
    ask: (script, prompt) => inShell(script, 'begin "$1"', prompt),
    loops,
    inLoop: () => readdirSync(sessions).filter((name) => !name.startsWith('.')),
    log: () =>
      loops()
        .map((id) => readFileSync(join(loopsFolder, id, 'loop.log'), 'utf8'))
        .join(''),
    asked: () => readFileSync(record, 'utf8').trim().split('\n').flatMap(bodyTexts),
  };
}

interface HostFiles {
  readonly folder: string;
  readonly settings: string;
  readonly hooks: Readonly<Record<string, HookGroup>>;
  readonly files: Readonly<Record<string, string>>;
}

export function hostFiles(agent: HostAgent): HostFiles {
  const [command, ours] = [[process.execPath, HOOK, agent], { dist: '', plugin: '' }];
  const { folder, settings = '', hooks, files } = INSTALLATIONS[agent];
  return { folder, settings, hooks: hooks?.(command, ours) ?? {}, files: files(command, ours) };
}

export function projectFiles({ folder, settings, hooks, files }: HostFiles): Record<string, string> {
  const groups = Object.fromEntries(Object.entries(hooks).map(([event, group]) => [event, [group]]));
  const all = { ...files, [settings]: JSON.stringify({ hooks: groups }) };
  return Object.fromEntries(Object.entries(all).map(([path, text]) => [`${folder}/${path}`, text]));
}

function codexFlags(): string {
  return '--json --dangerously-bypass-approvals-and-sandbox --dangerously-bypass-hook-trust';
}

function geminiFlags(): string {
  return '-o stream-json --approval-mode yolo -m gemini-2.5-flash';
}

/** The strings in the body of a request; a line that only reports how a request ended has none. */
function bodyTexts(line: string): string[] {
  const { body } = JSON.parse(line) as { readonly body?: unknown };
  if (body === undefined) return [];
  const texts: string[] = [];
  JSON.stringify(body, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value);
    return value;
  });
  return [texts.join('\n')];
}
