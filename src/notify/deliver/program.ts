/** Receivers that are programs: the desktop's own (`notify-send`, `osascript`), or any command of the user. */
import { existsSync } from 'node:fs';
import type { Notice } from '../../core/notice.ts';
import { escapeMarkup } from '../../core/text/markup.ts';
import type { Duration } from '../../core/time.ts';
import { runLimited } from '../../process/run-limited.ts';
import { messageData } from '../message-data.ts';
import { valuesOf } from '../template.ts';
import type { Delivered } from './delivered.ts';

export interface ProgramPlace {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly patience: Duration;
}

export function toDesktop(notice: Notice, { env, platform, patience }: ProgramPlace): Promise<Delivered> {
  const argv = platform === 'darwin' ? osascriptFor(notice) : notifySendFor(notice);
  return run({ argv, env: platform === 'darwin' ? env : withBus(env), limit: patience });
}

const URGENT: readonly Notice['event'][] = ['blocked', 'failed', 'tampered'];

/** The body may contain markup; the title is plain text. */
export function notifySendFor({ event, title, text, next }: Notice): string[] {
  const body = [text, ...(next === undefined ? [] : [next])].join('\n');
  const urgency = URGENT.includes(event) ? 'critical' : 'normal';
  return ['notify-send', '--app-name=ralph', `--urgency=${urgency}`, '--', title, escapeMarkup(body)];
}

/** The texts are arguments of a fixed script, so nothing in them is read as AppleScript. */
export function osascriptFor({ title, text }: Notice): string[] {
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
  // Our titles begin with a symbol, never with a dash.
  return ['osascript', ...script.flatMap((line) => ['-e', line]), title, text];
}

/** A loop started over ssh or by cron does not know the address of the desktop's bus. */
function withBus(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const bus = `/run/user/${process.getuid?.() ?? ''}/bus`;
  if ((env.DBUS_SESSION_BUS_ADDRESS ?? '') !== '' || !existsSync(bus)) return env;
  return { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` };
}

/** The message is passed on stdin and in variables, never in the command itself, so a shell has nothing to expand. */
export function toCommand(
  argv: readonly string[],
  notice: Notice,
  { env, patience }: ProgramPlace,
): Promise<Delivered> {
  const names = Object.entries(valuesOf(notice)).map(([name, value]) => [`RALPH_NOTIFY_${name.toUpperCase()}`, value]);
  const variables = Object.fromEntries(names) as Record<string, string>;
  return run({
    argv,
    env: { ...env, ...variables },
    limit: patience,
    input: `${JSON.stringify(messageData(notice))}\n`,
  });
}

async function run(program: Omit<Parameters<typeof runLimited>[0], 'cwd'>): Promise<Delivered> {
  const [name = ''] = program.argv;
  const { end, why = '', stderr } = await runLimited({ ...program, cwd: '/' });
  if (end === 'ok') return { is: 'sent', says: `${name}: exit 0` };
  if (end === 'expired') return { is: 'down', why: `${name} did not end in time` };
  if (end === 'unstartable')
    return {
      is: 'refused',
      why: `${name} cannot be started: ${why}`,
      hint: `Install ${name}, or remove the receiver.`,
    };
  const said = stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
  return { is: 'down', why: `${name}: ${why}${said === '' ? '' : `: ${said}`}` };
}
