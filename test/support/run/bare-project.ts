/** A project without settings, and an agent with a name that ralph knows, first on the PATH. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SandboxScene, sandboxScene } from '../sandbox/sandbox.ts';
import type { SceneOptions } from '../scene.ts';

export const CLAUDE_DONE = 'claude_says "All done. <response>DONE</response>"; claude_result x';

export function bareProject(options: Partial<SceneOptions> = {}): SandboxScene {
  const scene = sandboxScene({ play: CLAUDE_DONE, agent: 'claude', ...options });
  rmSync(join(scene.work, '.ralph'), { recursive: true });
  return scene;
}

/** A project on a machine where neither of the two sandboxes works. */
export function withoutSandbox(options: Partial<SceneOptions> = {}): SandboxScene {
  const scene = bareProject(options);
  for (const name of ['bwrap', 'docker']) {
    const path = join(scene.folder, 'bin', name);
    writeFileSync(path, '#!/bin/sh\necho "No permissions" >&2; exit 1\n');
    chmodSync(path, 0o755);
  }
  return scene;
}

/** Shell code for the agent that writes its arguments, one per line, to the file `arguments`. */
export const KEEP_ARGUMENTS = `for word; do printf '%s\\n' "$word"; done >arguments; `;
