/** The scenarios use ralph's words; another harness has its own for "done" and "blocked". */

export function inWordsOf({ claim, blocked }, text) {
  const done = claim === undefined ? text : text.replaceAll('<response>DONE</response>', claim);
  return blocked === undefined ? done : done.replaceAll(/<response>BLOCKED: [^<]*<\/response>/g, blocked);
}
