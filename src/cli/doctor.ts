/** `ralph doctor`: can a loop run on this machine and in this folder, and what is missing for it? */
import { DEFAULT_AGENT } from '../agents/index.ts';
import type { Environment } from '../config/environment.ts';
import { plural } from '../core/budget/usage.ts';
import type { Finding } from '../core/finding.ts';
import { note } from '../core/finding.ts';
import { isReadable } from '../engine/store/loop-store.ts';
import { surveyAgents, surveyFinding } from '../preflight/agents.ts';
import { containmentFinding, nodeFinding, stateFinding, toolFindings } from '../preflight/machine.ts';
import { projectFindings } from '../preflight/project.ts';
import { sandboxFindings } from '../preflight/sandboxes.ts';
import { isUnfinished } from '../state/registry.ts';
import { painter } from '../views/paint.ts';
import { loopsContext } from './loops/context.ts';
import { findingLines } from './terminal/finding-lines.ts';

export interface DoctorIo {
  readonly stdout: { write(text: string): unknown };
  readonly environment: Environment;
  readonly color: boolean;
  readonly cwd: string;
  readonly self: readonly [string, ...string[]];
}

interface Section {
  readonly title: string;
  readonly findings: readonly Finding[];
}

/** Returns 0 if a loop can run here. */
export async function doctorCommand({ json }: { json: boolean }, io: DoctorIo): Promise<number> {
  const sections = await examine(io);
  const canRun = sections.every(({ findings }) => findings.every(({ level }) => level !== 'error'));
  io.stdout.write(
    json ? `${JSON.stringify({ canRun, checks: sections.flatMap(asJson) }, null, 2)}\n` : asText(sections, canRun, io),
  );
  return canRun ? 0 : 1;
}

async function examine({ environment, cwd, self }: DoctorIo): Promise<Section[]> {
  const { variables: env, root, containment } = environment;
  const place = { cwd, env, self };
  const [tools, agents, sandboxes, project, loops] = await Promise.all([
    toolFindings(env, cwd),
    surveyAgents(env, cwd),
    sandboxFindings({ ...place, stateRoot: root.path, agent: DEFAULT_AGENT }),
    projectFindings(place, root.path),
    unfinishedLoops(),
  ]);
  const machine = [nodeFinding(), ...tools, containmentFinding(containment), stateFinding(root.path)];
  return [
    { title: 'Machine', findings: [...machine, ...loops] },
    { title: 'Agents', findings: agents.map((agent) => surveyFinding(agent, env, cwd)) },
    { title: 'Sandboxes', findings: sandboxes },
    { title: 'This folder', findings: project },
  ];
}

async function unfinishedLoops(): Promise<Finding[]> {
  const all = await loopsContext().store.list();
  const unfinished = all.filter(isReadable).filter((loop) => loop.supervisor === null && isUnfinished(loop));
  if (unfinished.length === 0) return [];
  return [note(`${plural(unfinished.length, 'loop')} could be continued`, 'ralph ls shows them')];
}

function asText(sections: readonly Section[], canRun: boolean, { environment: { mask }, color }: DoctorIo): string {
  const paint = painter(color);
  const verdict: Finding = canRun
    ? { level: 'ok', what: 'A loop can run here.', fix: '' }
    : { level: 'error', what: 'A loop cannot run here: fix what is marked ✗.', fix: '' };
  const blocks = sections.map(({ title, findings }) => [
    paint('bold', title),
    ...findingLines(findings, { paint, mask }),
  ]);
  return [...blocks, findingLines([verdict], { paint, mask })].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function asJson({ title, findings }: Section): object[] {
  return findings.map(({ level, what, fix }) => ({ section: title, level, what, fix }));
}
