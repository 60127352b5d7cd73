/** The model that the agent asks: it starts to answer, keeps the connection busy while it thinks, and finishes. */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const [, , scene, thinksMs] = process.argv;

const server = createServer((socket) => {
  appendFileSync(join(scene, 'witness.jsonl'), `${JSON.stringify({ did: 'asked', at: Date.now(), own: 0 })}\n`);
  const pings = setInterval(() => socket.write('.'), 100);
  const end = setTimeout(() => socket.end('42'), Number(thinksMs));
  const over = () => {
    clearInterval(pings);
    clearTimeout(end);
  };
  socket.on('error', over).on('close', over);
});
server.listen(0, '127.0.0.1', () => {
  const file = join(scene, 'model.port');
  writeFileSync(`${file}.new`, String(server.address().port));
  renameSync(`${file}.new`, file);
});
