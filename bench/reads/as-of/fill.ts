/** Fills the tables of a stage through its streams, as an installation does. */
import type { Event } from '../../../domain/events/event.ts'
import { publishEvents } from '../../../streams/ingest/batcher.ts'
import { createPublisher } from '../../../streams/ingest/publisher.ts'
import { swapCount } from '../../market/market.ts'
import { programLog } from '../../programs/program.ts'
import { startWorkerProgram } from '../../publisher.ts'
import type { Stage } from '../../stage.ts'

/** Publishes events, and waits until pool and ledger have committed them. */
export async function fillStage(stage: Stage, events: readonly Event[]): Promise<void> {
  const { jetStream, topology } = stage
  const worker = await startWorkerProgram(stage, [], ['pool', 'ledger'])
  try {
    worker.send({ kind: 'expect', events: { pool: events.length, ledger: swapCount(events) } })
    const done = worker.receive('done')
    const { publish } = createPublisher(jetStream, topology, { log: programLog })
    await publishEvents(inOneRun(events), { publish, ...topology })
    await done
  } finally {
    await worker.stop()
  }
}

async function* inOneRun<Each>(events: readonly Each[]): AsyncGenerator<readonly Each[]> {
  yield events
}
