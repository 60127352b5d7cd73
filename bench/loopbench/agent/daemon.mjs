/** A process that an agent can leave behind: it logs that it runs and where its stdout goes, and keeps running. */
import { appendFileSync, readlinkSync, writeSync } from 'node:fs';

const [, , witness] = process.argv;
const stdout = readlinkSync('/proc/self/fd/1');
appendFileSync(witness, `${JSON.stringify({ did: 'daemon', at: Date.now(), own: 0, stdout })}\n`);
writeSync(3, 'ready');
setTimeout(() => process.exit(), 600_000);
