/**
 * Token events of an operator into the stream, and the wait until the workers have taken them in.
 */
import { randomUUID } from 'node:crypto'
import { connect } from '../sql/db.ts'
import { query } from '../sql/query.ts'
import { publishEvents } from '../streams/batcher.ts'
import type { Event } from '../streams/event.ts'
import { connectJetStream } from '../streams/jetstream.ts'
import { createPublisher } from '../streams/publisher.ts'
import type { Token } from '../streams/token.ts'
import { ensureTopology } from '../streams/topology.ts'
import { runCounts } from '../workers/runs.ts'
import type { CommandContext } from './command.ts'
import type { Installation } from './installation.ts'
import type { Progress } from './progress.ts'
import { waitForCounts } from './run-counts.ts'

const findNewestSlot = query<{ slot: number }>('import/find_newest_slot')

/** The highest slot of anything that is known; 0 before the first. */
export async function newestSlot(databaseUrl: string): Promise<number> {
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide import' })
  try {
    const [row] = await findNewestSlot(db)
    return row?.slot ?? 0
  } finally {
    await db.end()
  }
}

/** Resolves when all are counted, or as far as they are when the process is asked to end. */
export async function publishTokens(
  tokens: readonly Token[],
  { databaseUrl, natsUrl, ...asked }: Installation,
  context: CommandContext,
  progress: Progress,
): Promise<{ isComplete: boolean }> {
  const log = context.log('warn')
  const run = randomUUID()
  const jetStream = await connectJetStream(natsUrl, { name: 'swaptide import', log })
  const db = connect(databaseUrl, { max: 1, applicationName: 'swaptide import' })
  try {
    const topology = await ensureTopology(jetStream, asked)
    const { prefix, laneCount } = topology
    const publisher = createPublisher(jetStream, topology, { run, log })
    context.signal.addEventListener('abort', () => publisher.close(), { once: true })
    const { publish } = publisher
    const deps = { publish, prefix, laneCount, lingerMs: Number.POSITIVE_INFINITY }
    const { stored } = await publishEvents(events(tokens), deps)
    return await waitForCounts(() => runCounts(db, run), stored.tokens, context.signal, progress)
  } finally {
    await db.end()
    await jetStream.close()
  }
}

async function* events(tokens: readonly Token[]): AsyncGenerator<Event[]> {
  yield tokens.map((token) => ({ kind: 'token', token }))
}
