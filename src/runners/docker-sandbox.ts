/** Is there a Docker Sandbox? */
import { spawnSync } from 'node:child_process';
import { RalphError } from '../core/error.ts';
import { findProgram } from '../process/which.ts';

export type DockerSupport = { readonly works: true } | { readonly works: false; readonly reason: string };

export function dockerSandboxSupport(env: NodeJS.ProcessEnv): DockerSupport {
  if (findProgram('docker', env.PATH, '/') === null) return { works: false, reason: 'docker is not on the PATH' };
  const { status, stderr } = spawnSync('docker', ['sandbox', 'ls'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return { works: true };
  const said = stderr.trim().split('\n')[0] ?? '';
  return { works: false, reason: `"docker sandbox ls" failed${said === '' ? '' : ` (${said})`}` };
}

export function noDockerSandbox(reason: string): RalphError {
  return new RalphError('NO_SANDBOX', `Docker Sandbox cannot be used: ${reason}`, {
    hint: "It needs Docker Desktop 4.58 or newer with Sandboxes enabled; --sandbox=os is the operating system's own.",
    exitCode: 2,
  });
}
