/** Answers `--version` without loading the CLI; everything else is the CLI's. CommonJS, because it starts fastest. */
'use strict';
const { existsSync, writeSync } = require('node:fs');

module.exports = function start(binary) {
  const asked = process.argv[2];
  if (asked === '--version' || asked === '-v') {
    writeSync(1, `${require('../package.json').version}\n`);
    return;
  }
  if (!existsSync(`${__dirname}/../dist/cli/main.cjs`)) {
    writeSync(2, `${binary} is not built: run \`npm run build\` in ${require('node:path').dirname(__dirname)}\n`);
    process.exitCode = 2;
    return;
  }
  void require('../dist/cli/main.cjs').main(binary);
};
