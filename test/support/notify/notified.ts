/** A scene with notifications: receivers in the user's own settings, and a sender whose seconds are shortened. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifThere, nullOn } from '../../../src/process/files.ts';
import { processesOf } from '../programs/processes.ts';
import { makeScene, type Scene, type SceneOptions } from '../scene.ts';

const LOOK_EVERY_MS = 20;

export interface Notified extends Scene {
  /** Writes the user's own settings. */
  notify(settings: Readonly<Record<string, unknown>>): void;
  queued(): string[];
  log(): string;
  /** Resolves when the sender has nothing left to do and has exited. */
  senderGone(): Promise<void>;
  /** Kills the sender, and further ones that were started while it ran. */
  killSender(): Promise<void>;
}

/** Writes the user's own settings, with these receivers. */
export function writeUserSettings(home: string, notify: Readonly<Record<string, unknown>>): void {
  const file = join(home, '.config/ralph/settings.json');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, JSON.stringify({ notify }), { mode: 0o600 });
}

/** The pids of the senders of a scene. */
function sendersOf(folder: string): number[] {
  const found = processesOf(folder).filter(({ command }) => command.endsWith('notify send'));
  return found.map(({ pid }) => pid);
}

export async function senderGone(folder: string): Promise<void> {
  while (sendersOf(folder).length > 0) await sleep(LOOK_EVERY_MS);
}

export function makeNotified(
  options: SceneOptions,
  settings: Readonly<Record<string, unknown>>,
  secondMs = 10,
): Notified {
  const env = { RALPH_NOTIFY_SECOND_MS: String(secondMs), ...options.env };
  const scene = makeScene({ ...options, env });
  writeUserSettings(scene.folder, settings);
  const folder = join(scene.state, 'ralph/notify');
  return {
    ...scene,
    notify: (wanted) => writeUserSettings(scene.folder, wanted),
    queued: () => ifThere(() => readdirSync(join(folder, 'queue'))) ?? [],
    log: () => ifThere(() => readFileSync(join(folder, 'log'), 'utf8')) ?? '',
    async killSender() {
      for (let left = sendersOf(scene.folder); left.length > 0; left = sendersOf(scene.folder)) {
        for (const pid of left) nullOn(['ESRCH'], () => process.kill(pid, 'SIGKILL'));
        await sleep(LOOK_EVERY_MS);
      }
    },
    senderGone: () => senderGone(scene.folder),
  };
}
