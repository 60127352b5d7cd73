/** With `node --require`: writes which files a program loads to $LOADS, when it ends. */
const { appendFileSync } = require('node:fs');

process.on('exit', () =>
  appendFileSync(
    process.env.LOADS,
    Object.keys(require.cache)
      .map((path) => `${path}\n`)
      .join(''),
  ),
);
