/** `swarm send`, `swarm interrupt` and `swarm eof`: typing into workers. */
import { sendText, sendToAll, sendToOne } from '../../loops/swarm/workers/send.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';

export async function sendCommand(
  swarm: Swarm,
  words: readonly string[],
  { enter, raw = false, all = false }: { enter: boolean; raw?: boolean; all?: boolean },
): Promise<number> {
  const text = words.at(-1) ?? '';
  if (words.length > (all ? 1 : 2)) throw refused('too many arguments: quote the text', 2);
  if (all) {
    await sendToAll(swarm, async (pane, { name }) => {
      await sendText(pane, text, { raw, enter });
      swarm.say(`sent to ${name}`);
    });
    return 0;
  }
  const [name] = words;
  if (words.length < 2 || name === undefined) throw refused('--name required when not using --all');
  await sendToOne(swarm, name, (pane) => sendText(pane, text, { raw, enter }));
  swarm.say(`sent to ${name}`);
  return 0;
}

export async function interruptCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false }: { all?: boolean },
): Promise<number> {
  if (all) {
    await sendToAll(swarm, async (pane, record) => {
      await pane.press('C-c');
      swarm.say(`interrupted ${record.name}`);
    });
    return 0;
  }
  if (name === undefined) throw refused('worker name required when not using --all');
  await sendToOne(swarm, name, (pane) => pane.press('C-c'));
  swarm.say(`interrupted ${name}`);
  return 0;
}

export async function eofCommand(swarm: Swarm, name: string): Promise<number> {
  await sendToOne(swarm, name, (pane) => pane.press('C-d'));
  swarm.say(`sent eof to ${name}`);
  return 0;
}
