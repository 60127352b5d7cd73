/** Reads a loop's records from the database, without its worker: the results of its steps, folded by the same core. */
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { firstRecord, nextRecord, type Recorded } from '../../src/core/record.ts';
import { APPLICATION, type LoopOrder, STEP } from '../../src/fleet/protocol.ts';
import { runMachine } from '../../src/loops/run/rules.ts';

export interface RecordedLoop {
  /** The worker that runs, or ran, the loop. */
  readonly executor: string | undefined;
  readonly records: readonly Recorded[];
  /** What the loop would do next according to these records. */
  readonly next: ReturnType<typeof runMachine.next>;
  readonly otherSteps: readonly string[];
}

type Memo = { readonly record: Pick<Recorded, 'at' | 'attempt' | 'result'> };

export async function readLoop(database: string, id: string): Promise<RecordedLoop> {
  const client = await DBOSClient.create({ systemDatabaseUrl: database, applicationName: APPLICATION });
  try {
    const [workflow] = await client.listWorkflows({ workflowIDs: [id] });
    if (workflow === undefined) throw new Error(`no loop ${id} in the database`);
    const [{ created, at }] = workflow.input as [LoopOrder];
    let state = runMachine.begin(firstRecord(created, at));
    const records: Recorded[] = [];
    const steps = (await client.listWorkflowSteps(id)) ?? [];
    for (const { output } of steps.filter(({ name }) => name === STEP)) {
      const record = nextRecord(state, { ...(output as Memo).record, key: runMachine.next(state).key });
      records.push(record);
      state = runMachine.apply(state, record);
    }
    const otherSteps = steps.map(({ name }) => name).filter((name) => name !== STEP);
    return { executor: workflow.executorId, records, next: runMachine.next(state), otherSteps };
  } finally {
    await client.destroy();
  }
}
