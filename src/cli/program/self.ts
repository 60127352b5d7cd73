/** The command line that starts this program again. */
export function self(): readonly [string, ...string[]] {
  return [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
}
