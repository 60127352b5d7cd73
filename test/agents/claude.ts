/** Runs the built `ralph` with the real Claude Code on a scripted model: no account, nothing off the loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Script } from '../../src/rehearsal/script.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ClaudeScene {
  readonly work: string;
  readonly state: string;
  /** `ralph rehearse --script … -- ralph <args>` */
  rehearse(script: Script, args: readonly string[]): Promise<Finished>;
  git(...args: string[]): string;
  remove(): void;
}

export function installClaude(): string {
  return execFileSync(process.execPath, [join(ROOT, 'scripts/agents.mjs'), 'claude'], { encoding: 'utf8' }).trim();
}

/** A git repository with `files` committed, and `claude` on the PATH. */
export function claudeScene(claude: string, files: Readonly<Record<string, string>>): ClaudeScene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-claude-')));
  const work = join(folder, 'work');
  const state = join(folder, 'state');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(claude, join(bin, 'claude'));
  const env = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    XDG_STATE_HOME: state,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(work, name)), { recursive: true });
    writeFileSync(join(work, name), content);
  }
  git('init', '-b', 'main');
  git('add', '.');
  git('commit', '-m', 'begin');
  return {
    work,
    state,
    git,
    async rehearse(script, args) {
      const scriptFile = join(folder, 'script.json');
      writeFileSync(scriptFile, JSON.stringify(script));
      const ralph = join(ROOT, 'bin/ralph.cjs');
      const command = [ralph, 'rehearse', '--script', scriptFile, '--', process.execPath, ralph, ...args];
      const child = spawn(process.execPath, command, { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, stdout, stderr };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
