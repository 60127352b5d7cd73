/**
 * A fake opencode with our plugin: `hooked-opencode.mjs <plugin> <typed>` types the command, lets the agent stop
 * without the promise and with it, and prints what users are shown, one JSON text per line.
 */
import { pathToFileURL } from 'node:url';

const [plugin = '', typed = ''] = process.argv.slice(2);
const { Ralph } = await import(pathToFileURL(plugin).href);
const messages = [];
let shown = () => undefined;
const show = ({ body }) => {
  console.log(JSON.stringify(body.message));
  shown();
};
const client = {
  session: {
    get: async () => ({ data: {} }),
    messages: async () => ({ data: messages }),
    promptAsync: async () => ({}),
  },
  tui: { showToast: async (request) => show(request) },
};
const hooks = await Ralph({ client, directory: process.cwd() });
await hooks['command.execute.before']({ command: 'ralph-loop', sessionID: 'ses_1', arguments: typed }, { parts: [] });
for (const [index, text] of ['no', '<promise>DONE</promise>'].entries()) {
  const parts = [{ type: 'step-start' }, { type: 'text', text }];
  messages.push({ info: { role: 'assistant', time: { created: Date.now() + index } }, parts });
  const answered = new Promise((resolve) => {
    shown = resolve;
  });
  await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 'ses_1' } } });
  await answered;
}
