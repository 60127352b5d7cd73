/** What the witnesses of a scene have logged, and whether that shows what a scenario says has happened. */
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

/** Null for a scenario that is valid; otherwise why its result says nothing. */
export function whyInvalid({ witness = [] }, events) {
  if (witness.length === 0) return 'it has no witness';
  const unseen = witness.filter(({ seen }) => !seen(events)).map(({ what }) => what);
  return unseen.length === 0 ? null : `not seen: ${unseen.join('; ')}`;
}

/** True when it has been logged; false when the scene is over and it never was. */
export async function logged({ folder, witness, over }, did) {
  const isLogged = () => witnessed(witness).some((event) => event.did === did);
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

/** What the stage itself did to the scene and saw happen. */
export function logAs({ witness }, did, more = {}) {
  appendFileSync(witness, `${JSON.stringify({ did, at: Date.now(), own: 0, ...more })}\n`);
}
