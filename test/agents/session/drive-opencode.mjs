/**
 * Drives an opencode server from inside a rehearsal, where no other program can reach it:
 * `drive-opencode.mjs <steps> <found>`. Both are JSON files. A step can wait only for something that opencode itself reports.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';

const [stepsFile, foundFile] = process.argv.slice(2);
/** @type {{ type: string, properties: any }[]} */
const events = [];
let news = () => undefined;
let { server, base } = await start();

const sessions = new Map();
const found = { answers: [], messages: {}, toasts: [] };
let seen = 0;

const does = {
  new: async ({ new: name, parent }) => {
    const body = parent === undefined ? {} : { parentID: sessions.get(parent) };
    sessions.set(name, (await ask('POST', '/session', body)).body.id);
  },
  /** Waits for the answer unless `background` is set. */
  command: async ({ command, of, arguments: words, background = false }) => {
    const asked = ask('POST', `/session/${sessions.get(of)}/command`, { command, arguments: words });
    if (background) asked.catch((error) => console.error(`in the background: ${error}`));
    else found.answers.push((await asked).status);
  },
  prompt: async ({ prompt, of }) => {
    const parts = [{ type: 'text', text: prompt }];
    found.answers.push((await ask('POST', `/session/${sessions.get(of)}/message`, { parts })).status);
  },
  /** Waits for an event later than those that earlier steps waited for. */
  event: async ({ event, has = '' }) => {
    for (;;) {
      const index = events.findIndex((it, at) => at >= seen && it.type === event && JSON.stringify(it).includes(has));
      if (index >= 0) {
        seen = index + 1;
        return;
      }
      await new Promise((resolve) => {
        news = resolve;
      });
    }
  },
  abort: ({ abort }) => ask('POST', `/session/${sessions.get(abort)}/abort`),
  delete: ({ delete: name }) => ask('DELETE', `/session/${sessions.get(name)}`),
  /** Kills the server, as a crash of the machine would, and starts it again. */
  restart: async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
    ({ server, base } = await start());
  },
  run: async ({ run }) => {
    execFileSync('sh', ['-c', run], { stdio: 'inherit' });
  },
  messages: async ({ messages }) => {
    found.messages[messages] = (await ask('GET', `/session/${sessions.get(messages)}/message`)).body;
  },
};

try {
  for (const step of JSON.parse(readFileSync(stepsFile, 'utf8'))) {
    const [verb] = Object.keys(step);
    console.error(`step ${JSON.stringify(step)}`);
    await does[verb](step);
  }
  found.toasts = events.filter(({ type }) => type === 'tui.toast.show').map(({ properties }) => properties.message);
  writeFileSync(foundFile, JSON.stringify(found));
} finally {
  server.kill();
  await once(server, 'exit');
  process.exit();
}

async function start() {
  const begun = spawn('opencode', ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await listening(begun);
  listen(url).catch((error) => console.error(`no more events: ${error}`));
  return { server: begun, base: url };
}

async function ask(method, path, body) {
  const init = { method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body) };
  const response = await fetch(`${base}${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

async function listen(url) {
  const response = await fetch(`${url}/event`);
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    events.push(...lines.filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6))));
    news();
  }
}

async function listening(child) {
  let said = '';
  for await (const chunk of child.stdout) {
    said += chunk;
    const url = /http:\/\/\S+:\d+/.exec(said)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`the server ended: ${said}`);
}
