/** The committed hooks and scripts of the plugin on the simulated Mac, with each shell that `sh` can be. */
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { type Exited, startProgram } from '../support/programs/program.ts';
import { answered, hookSession, PLUGIN, type Session } from '../support/session/plugin-hooks.ts';
import { makeMac, onMac, SHELLS, SYSTEM_PATH } from './mac.ts';

const SILENCE = { code: 0, stdout: '', stderr: '' };

interface MacSession extends Session {
  /** Runs a hook script with its arguments, and passes it the event on stdin. */
  hear(script: readonly [string, ...string[]], input: object, env?: Readonly<Record<string, string>>): Promise<Exited>;
}

function macSession(sh: (typeof SHELLS)[number]): MacSession {
  const mac = makeMac(sh);
  const session = hookSession();
  const { id, folder, transcript } = session;
  return {
    ...session,
    hear([name, ...args], input, env = {}) {
      const [command = '', ...rest] = [...mac.front, join(PLUGIN, 'hooks', name), ...args];
      const own = { PATH: mac.path, HOME: folder, CLAUDE_CODE_SESSION_ID: id, CLAUDE_PROJECT_DIR: folder };
      return startProgram([command, ...rest], {
        cwd: folder,
        env: { ...mac.env, ...own, ...env },
        stdin: JSON.stringify({ session_id: id, transcript_path: transcript, cwd: folder, ...input }),
      }).exited;
    },
  };
}

const LOOP = {
  hook_event_name: 'UserPromptExpansion',
  command_name: 'ralph:ralph-loop',
  command_args: 'Write it. --check "test -e done.txt" --max-iterations 9',
  command_source: 'plugin',
};
const stopped = (words: string) => ({
  hook_event_name: 'Stop',
  stop_hook_active: false,
  last_assistant_message: words,
});

describe.each(SHELLS)('where sh is %s', (sh) => {
  test('the loop inside a session ends with a promise, once a tool was used and the check is green', async () => {
    const session = macSession(sh);
    const stop = async (words: string) => answered(await session.hear(['stop.sh'], stopped(words)));
    expect(await session.hear(['stop.sh'], stopped('x'))).toEqual(SILENCE);
    expect(answered(await session.hear(['session-loop.sh', 'command', 'plugin'], LOOP))).toMatchObject({
      systemMessage: expect.stringContaining('Ralph loop started: at most 9 iterations'),
    });
    expect(await stop('Not yet.')).toMatchObject({ systemMessage: 'Ralph iteration 1/9: promise not found.' });
    expect(await session.hear(['session-loop.sh', 'tool', 'plugin'], { hook_event_name: 'PostToolUse' })).toEqual(
      SILENCE,
    );
    expect(await stop('<promise>DONE</promise>')).toMatchObject({
      decision: 'block',
      systemMessage: 'Ralph iteration 2/9: promise found, rejected: 1 of 1 checks failed.',
    });
    writeFileSync(join(session.folder, 'done.txt'), '');
    await session.hear(['session-loop.sh', 'tool', 'plugin'], { hook_event_name: 'PostToolUse' });
    const last = await stop('<promise>DONE</promise>');
    expect(last).not.toHaveProperty('decision');
    expect(await session.hear(['stop.sh'], stopped('x'))).toEqual(SILENCE);
  });

  test('the guard blocks dangerous commands, but only if it is switched on', async () => {
    const session = macSession(sh);
    const tool = { tool_name: 'Bash', tool_input: { command: 'rm -rf /Users/me/Library' } };
    expect(await session.hear(['pre-tool-use.sh'], tool, { RALPH_GUARD: 'on' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ralph guard, blocked'),
    });
    expect(await session.hear(['pre-tool-use.sh'], tool)).toEqual(SILENCE);
  });

  test('a full context is reported once, although wc pads its output; the session leaves no files behind', async () => {
    const session = macSession(sh);
    const own = { CLAUDE_CODE_TMPDIR: session.folder };
    const used = () => session.hear(['context-monitor.sh'], { hook_event_name: 'PostToolUse' }, own);
    session.grow(600_000);
    expect(await session.hear(['run.sh', 'session-start'], { hook_event_name: 'SessionStart' }, own)).toMatchObject({
      code: 0,
    });
    expect((await used()).stdout).toContain('crossed 70% threshold');
    expect(await used()).toEqual(SILENCE);
    session.grow(750_000);
    expect((await used()).stdout).toContain('crossed 90% threshold');
    expect(await session.hear(['session-end.sh'], { hook_event_name: 'SessionEnd' }, own)).toEqual(SILENCE);
    expect(readdirSync(session.folder).filter((name) => name.includes(session.id))).toEqual([]);
  });

  test('hooks find node with the short PATH of a Claude Code that was not started in a terminal', async () => {
    const session = macSession(sh);
    const own = { PATH: SYSTEM_PATH, CLAUDE_CODE_TMPDIR: session.folder };
    expect(await session.hear(['run.sh', 'session-start'], {}, own)).toEqual(SILENCE);
    expect(readdirSync(session.folder)).toContain(`ralph-acting-${session.id}`);
  });

  test('the scripts of the plugin find their program, even when run through a link or by their bare name', () => {
    const mac = makeMac(sh);
    const folder = testFolder();
    symlinkSync(join(PLUGIN, 'scripts/ralph.sh'), join(folder, 'loop'));
    const env = { HOME: folder };
    const help = 'Usage: ralph stories run';
    expect(onMac(mac, `"${folder}/loop" --help`, env)).toContain(help);
    expect(onMac(mac, `cd "${PLUGIN}/scripts" && sh ralph.sh --help`, env)).toContain(help);
    expect(onMac(mac, `"${PLUGIN}/scripts/ralph-init.sh" --help`, env)).toContain('Usage: ralph stories init');
  });
});
