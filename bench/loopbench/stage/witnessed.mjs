/** What the witnesses of a scene have logged, and what that shows. */
import { appendFileSync, existsSync, readFileSync, watch } from 'node:fs';

export function witnessed(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.map((line) => JSON.parse(line));
}

/** Each work run of the agent with what was logged until the next one began. */
export function runsIn(events) {
  const runs = [];
  for (const event of events) {
    if (event.did === 'start') runs.push({ ...event, events: [] });
    runs.at(-1)?.events.push(event);
  }
  return runs;
}

/** The witnesses that the log does not show. */
export function unseen(witnesses, events) {
  return witnesses.filter(({ seen }) => !seen(events)).map(({ what }) => what);
}

/** Whether the words of completion were printed, by the agent itself or in any other way. */
export function claims(events) {
  return events.some(({ text }) => typeof text === 'string' && text.includes('<response>DONE</response>'));
}

export function tokensIn(events) {
  return events.reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}

/** True once it has been logged, at least so many times; false if the scene is over before. */
export async function logged({ folder, witness, over }, did, times = 1) {
  const isLogged = () => witnessed(witness).filter((event) => event.did === did).length >= times;
  await new Promise((resolve) => {
    const watcher = watch(folder, { signal: over }, () => {
      if (!isLogged()) return;
      watcher.close();
      resolve();
    });
    over.addEventListener('abort', resolve);
    if (!isLogged()) return;
    watcher.close();
    resolve();
  });
  return !over.aborted;
}

/** Logs what the stage itself did to the scene or saw happen. */
export function logAs({ witness }, did, more = {}) {
  appendFileSync(witness, `${JSON.stringify({ did, at: Date.now(), own: 0, ...more })}\n`);
}
