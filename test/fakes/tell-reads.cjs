/** Preloaded into a hook's node: logs the result of each read of stdin, so that a test knows when it has looked. */
const fs = require('node:fs');

const { readSync } = fs;
const tell = (what) => fs.appendFileSync(process.env.READS, `${what}\n`);

fs.readSync = (...args) => {
  if (args[0] !== 0) return readSync(...args);
  try {
    const bytes = readSync(...args);
    tell(`${bytes} bytes`);
    return bytes;
  } catch (error) {
    tell(error.code);
    throw error;
  }
};
