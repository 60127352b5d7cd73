/** Plays scenarios with harnesses. Harnesses that are not installed are left out, invalid scenarios are not played. */
import { play } from './play.mjs';
import { AGENTS, reference } from './reference.mjs';

/** `say` gets a line for each harness that is left out, `show` the rows of each harness as soon as they are ready. */
export async function compare(scenarios, harnesses, { say, show = () => undefined }) {
  const here = harnesses.filter((harness) => {
    const missing = harness.missing();
    if (missing !== null) say(`${harness.name}: left out, ${missing}`);
    return missing === null;
  });
  const known = [];
  for (const scenario of scenarios) known.push({ scenario, reference: await reference(scenario) });
  const results = [];
  for (const harness of here) {
    const rows = [];
    for (const { scenario, reference } of known) {
      rows.push({ scenario, reference, played: reference.invalid === null ? await playAll(scenario, harness) : null });
    }
    results.push({ harness, rows });
    show({ harness, rows });
  }
  return results;
}

async function playAll(scenario, harness) {
  const played = {};
  for (const agent of AGENTS) played[agent] = await play(scenario, harness, agent);
  return played;
}
