import { expect, test } from 'vitest';
import { httpReceiver } from '../../../test/support/notify/receiver.ts';
import { post } from './post.ts';

/** The pause that results from an answer of 429 with this header. */
async function toBusy(retryAfter: string): Promise<number | undefined> {
  const { url } = await httpReceiver(
    (_, response) => void response.writeHead(429, { 'retry-after': retryAfter }).end(),
  );
  const delivered = await post({ url, headers: {}, body: 'x', patience: 10_000 });
  expect(delivered.is).toBe('down');
  return 'after' in delivered ? delivered.after : undefined;
}

const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toUTCString();

test('a receiver says when to come back: in seconds, or at a date', async () => {
  expect(await toBusy('120')).toBe(120_000);
  const after = await toBusy(inSeconds(120));
  expect(after).toBeLessThanOrEqual(120_000);
  expect(after).toBeGreaterThan(100_000);
});

test('it is believed for an hour at most, and not where it says nothing of use', async () => {
  for (const late of ['999999', inSeconds(999_999)]) expect(await toBusy(late)).toBe(3_600_000);
  for (const useless of ['', '0', '-5', 'soon', inSeconds(-120)]) expect(await toBusy(useless)).toBeUndefined();
});
