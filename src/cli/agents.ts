/** `ralph agents`: which agents are installed, what works with each, and how to get the others. */
import { aligned } from '../core/text/aligned.ts';
import { type Surveyed, surveyAgents } from '../preflight/agents.ts';

export interface AgentsIo {
  readonly stdout: { write(text: string): unknown };
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

export async function agentsCommand({ json }: { json: boolean }, { stdout, env, cwd }: AgentsIo): Promise<number> {
  const agents = await surveyAgents(env, cwd);
  stdout.write(json ? `${JSON.stringify(agents.map(asJson), null, 2)}\n` : asTable(agents));
  return 0;
}

function asTable(agents: readonly Surveyed[]): string {
  const have = agents.flatMap(({ adapter: { title, tellsCost, tested }, version, path }) =>
    path === null ? [] : [[title, version ?? 'unknown version', path, `${COST[tellsCost]}; tested ${tested}`]],
  );
  const get = agents.flatMap(({ adapter: { title, install }, path }) =>
    path === null ? [[title, install ?? 'see its own instructions']] : [],
  );
  return [
    have.length === 0 ? 'No agent that ralph knows is installed.' : 'Installed:',
    ...columns(have),
    ...(get.length === 0 ? [] : ['', 'Not installed:', ...columns(get)]),
    '',
    'Use one: ralph run "…" --agent <name>, or set agent.command in .ralph/settings.json.',
    'Any other command works as plain text: its prompt is the last argument, its output',
    'is the answer, its cost is unknown.',
    '',
  ].join('\n');
}

const COST = {
  dollars: 'reports dollars and tokens',
  tokens: 'reports tokens; dollars are estimated',
  nothing: 'cost unknown',
} as const;

const columns = (rows: readonly (readonly string[])[]): string[] => aligned(rows).map((line) => `  ${line}`.trimEnd());

function asJson({ adapter, path, version }: Surveyed): object {
  const { name, title, install, tellsCost, tested } = adapter;
  return { name, title, installed: path !== null, version, path, tellsCost, tested, install };
}
