/** Reads a loop's records back from the database, without its worker: the steps' results, folded by the same core. */
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { RECORD_VERSION, type Recorded } from '../../src/core/record.ts';
import { runCrank } from '../../src/doors/run/loop.ts';
import { APPLICATION, type LoopOrder, STEP } from '../../src/fleet/protocol.ts';

export interface RecordedLoop {
  /** The worker that has, or had, the loop. */
  readonly executor: string | undefined;
  readonly records: readonly Recorded[];
  /** What the crank would do next, by these records. */
  readonly next: ReturnType<typeof runCrank.next>;
  readonly otherSteps: readonly string[];
}

type Memo = { readonly record: Pick<Recorded, 'v' | 'at' | 'attempt' | 'result'> };

export async function readLoop(database: string, id: string): Promise<RecordedLoop> {
  const client = await DBOSClient.create({ systemDatabaseUrl: database, applicationName: APPLICATION });
  try {
    const [workflow] = await client.listWorkflows({ workflowIDs: [id] });
    if (workflow === undefined) throw new Error(`no loop ${id} in the database`);
    const [{ created, at }] = workflow.input as [LoopOrder];
    const result = { kind: 'created', ...created } as const;
    let state = runCrank.begin({ v: RECORD_VERSION, seq: 0, at, key: 'created', attempt: 1, result });
    const records: Recorded[] = [];
    const steps = (await client.listWorkflowSteps(id)) ?? [];
    for (const { output } of steps.filter(({ name }) => name === STEP)) {
      const record: Recorded = { ...(output as Memo).record, seq: state.seq + 1, key: runCrank.next(state).key };
      records.push(record);
      state = runCrank.apply(state, record);
    }
    const otherSteps = steps.map(({ name }) => name).filter((name) => name !== STEP);
    return { executor: workflow.executorId, records, next: runCrank.next(state), otherSteps };
  } finally {
    await client.destroy();
  }
}
