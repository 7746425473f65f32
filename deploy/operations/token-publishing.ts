/**
 * Publishes token events of an operator, and waits until the workers have ingested them.
 */
import { randomUUID } from 'node:crypto'
import type { Event } from '../../domain/events/event.ts'
import type { Token } from '../../domain/events/token.ts'
import type { Log } from '../../domain/log.ts'
import type { Db } from '../../sql/db.ts'
import type { Queryable } from '../../sql/driver/queryable.ts'
import { query } from '../../sql/query.ts'
import { publishEvents } from '../../streams/ingest/batcher.ts'
import { createPublisher } from '../../streams/ingest/publisher.ts'
import type { JetStream } from '../../streams/nats/jetstream.ts'
import type { Topology } from '../../streams/nats/topology.ts'
import type { CommandContext } from '../cli/command.ts'
import type { Progress } from '../cli/progress.ts'
import { runCounts, waitForCounts } from '../ingest/run-counts.ts'
import { withServers } from '../processes/connections.ts'
import type { Installation } from '../processes/installation.ts'

const findNewestSlot = query<{ slot: number }>('import/find_newest_slot')

/** The highest slot of anything that is known; 0 before the first. */
export async function newestSlot(db: Queryable): Promise<number> {
  const [row] = await findNewestSlot(db)
  return row?.slot ?? 0
}

/** The one above it, or the last there is. */
export const slotAbove = (slot: number): number => Math.min(slot + 1, Number.MAX_SAFE_INTEGER)

export type TokenStream = { jetStream: JetStream; topology: Topology; log: Log }

/** Events published under a run's own id. `duplicates`: events that the stream held already under another id. */
type TokenRun = { run: string; stored: number; duplicates: number }

/** Resolves when the stream has all. Rejects when the signal is aborted before that. */
export async function publishTokens(
  tokens: readonly Token[],
  { jetStream, topology, log }: TokenStream,
  signal: AbortSignal,
): Promise<TokenRun> {
  const run = randomUUID()
  const publisher = createPublisher(jetStream, topology, { run, log })
  const close = (): void => publisher.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    const { publish } = publisher
    const { prefix, laneCount } = topology
    const deps = { publish, prefix, laneCount, lingerMs: Number.POSITIVE_INFINITY }
    const { stored, duplicates } = await publishEvents(events(tokens), deps)
    return { run, stored: stored.tokens, duplicates: duplicates.tokens }
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

/** Resolves when all are counted, or with the present counts when the signal is aborted. */
export async function untilCounted(
  { run, stored }: TokenRun,
  db: Db,
  signal: AbortSignal,
  progress?: Progress,
): Promise<boolean> {
  const counts = await waitForCounts(() => runCounts(db, run), stored, signal, progress)
  return counts.isComplete
}

/** Both steps for a command, on separate connections. */
export async function importTokens(
  tokens: readonly Token[],
  installation: Installation,
  context: CommandContext,
  progress: Progress,
): Promise<{ isComplete: boolean }> {
  const { signal } = context
  const log = context.log('warn')
  const options = { name: 'swaptide import', log }
  return await withServers(installation, options, async ({ db, ...streams }) => {
    const sent = await publishTokens(tokens, { ...streams, log }, signal)
    return { isComplete: await untilCounted(sent, db, signal, progress) }
  })
}

async function* events(tokens: readonly Token[]): AsyncGenerator<Event[]> {
  yield tokens.map((token) => ({ kind: 'token', token }))
}
