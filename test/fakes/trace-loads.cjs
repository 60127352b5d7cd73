/** Preloaded with `node --require`: writes the files that a program has loaded to $LOADS when it exits. */
const { appendFileSync } = require('node:fs');

process.on('exit', () =>
  appendFileSync(
    process.env.LOADS,
    Object.keys(require.cache)
      .map((path) => `${path}\n`)
      .join(''),
  ),
);
