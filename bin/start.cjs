/** Answers `--version` and `--help` without loading the CLI; everything else is the CLI's. CommonJS starts fastest. */
'use strict';
const { existsSync, readFileSync, writeSync } = require('node:fs');

module.exports = function start(binary) {
  const asked = process.argv[2];
  if (asked === '--version' || asked === '-v') {
    writeSync(1, `${require('../package.json').version}\n`);
    return;
  }
  if ((asked === '--help' || asked === '-h') && process.argv.length === 3) {
    const { NO_COLOR, TERM } = process.env;
    const isColor = require('node:tty').isatty(1) && !NO_COLOR && TERM !== 'dumb';
    const help = `${__dirname}/../dist/cli/help-${binary}${isColor ? '-color' : ''}.txt`;
    if (existsSync(help)) {
      writeSync(1, readFileSync(help));
      return;
    }
  }
  if (!existsSync(`${__dirname}/../dist/cli/main.cjs`)) {
    writeSync(2, `${binary} is not built: run \`npm run build\` in ${require('node:path').dirname(__dirname)}\n`);
    process.exitCode = 2;
    return;
  }
  void require('../dist/cli/main.cjs').main(binary);
};
