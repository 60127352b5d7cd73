/** What `ralph run` would start with in this folder, and whether it could. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { LOCAL_FILE, SETTINGS_FILE, userSettingsFile } from '../config/settings.ts';
import { RalphError } from '../core/error.ts';
import { type Finding, fine, fromError, note } from '../core/finding.ts';
import { orProblem } from '../engine/loop-plan.ts';
import { inputsFrom } from '../loops/run/inputs.ts';
import { loopPlan } from '../loops/run/loop-plan.ts';
import { runRequest } from '../loops/run/request.ts';
import { type ResolvePlace, resolveRun } from '../loops/run/resolve.ts';
import { preflight } from './preflight.ts';

export async function projectFindings(place: ResolvePlace, stateRoot: string): Promise<Finding[]> {
  const { cwd, env } = place;
  const files = [userSettingsFile(env) ?? [], SETTINGS_FILE, LOCAL_FILE].flat();
  const there = files.filter((file) => existsSync(resolve(cwd, file)));
  const planned = await orProblem(resolveRun(runRequest({ prompt: 'x' }), place, false));
  if (planned instanceof RalphError) return [fromError(planned)];
  const { request, taken, problems, unprotected } = planned;
  const inputs = inputsFrom(taken.settings, request, 'x');
  const none = note(`no ${SETTINGS_FILE}`, "ralph run takes the installed agent and the project's own checks");
  const free = unprotected === null ? [] : [note('the agent would work without a sandbox', 'ralph run asks first')];
  return [
    there.length === 0 ? none : fine(`settings: ${there.join(', ')}`),
    ...preflight(loopPlan(inputs, { cwd, env, request, looksOnly: true }, problems), stateRoot),
    ...free,
  ];
}
