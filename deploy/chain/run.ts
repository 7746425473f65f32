/**
 * Runs a source of chain data into SWAP: reports what it cannot read, records coverage as its events are acknowledged,
 * and ends in order on the process's signal.
 */

import type { ChainSource } from '../../chain/sources/reader.ts'
import { type EventCounts, noEvents } from '../../domain/events/event.ts'
import { connect, type Db } from '../../sql/db.ts'
import { expectSchema } from '../../sql/schema/version.ts'
import { createPublisher, type Publisher } from '../../streams/ingest/publisher.ts'
import { explainRefusal } from '../../streams/ingest/refusal.ts'
import { connectJetStream, type JetStream } from '../../streams/nats/jetstream.ts'
import { ensureTopology, type Topology } from '../../streams/nats/topology.ts'
import { runSource, type SourceProgress } from '../../streams/sources/run-source.ts'
import type { Source } from '../../streams/sources/source.ts'
import type { Progress } from '../cli/progress.ts'
import type { Logger } from '../log.ts'
import type { Installation } from '../processes/installation.ts'
import { createLoggingClosers } from '../shutdown.ts'
import { type CoverageKey, CoverageRecorder } from './coverage.ts'
import type { Heartbeat } from './heartbeat.ts'
import type { PublishedBlocks } from './published-blocks.ts'

/** The servers of an installation that such a run needs. */
export type ChainServers = {
  db: Db
  jetStream: JetStream
  topology: Topology
  publisher: Publisher
  log: Logger
  close(): Promise<void>
}

/** `name`: the command, as the servers list their clients. Leaves nothing open when it rejects. */
export async function connectChain(
  installation: Installation,
  log: Logger,
  name: string,
): Promise<ChainServers> {
  const closers = createLoggingClosers(log)
  const db = connect(installation.databaseUrl, { max: 2, applicationName: name })
  closers.add('database', () => db.end())
  try {
    await expectSchema(db)
    const jetStream = await connectJetStream(installation.natsUrl, { name, log })
    closers.add('NATS connection', () => jetStream.close())
    const topology = await ensureTopology(jetStream, installation)
    const publisher = createPublisher(jetStream, topology, { log })
    closers.add('publisher', () => publisher.close())
    return { db, jetStream, topology, publisher, log, close: () => closers.closeAll() }
  } catch (error) {
    await closers.closeAll()
    throw error
  }
}

type ChainRun = {
  /** Absent for a source of lines, which prove no slot complete. */
  key?: CoverageKey
  heartbeat: Heartbeat
  /** Absent for a source that does not follow the chain: its slots cannot leave it. */
  blocks?: PublishedBlocks
  signal: AbortSignal
  /** Notices and retries are written here. */
  progress: Pick<Progress, 'say'>
  onProgress: (progress: Readonly<SourceProgress>) => void
}

/** `hasEnded` is false where the run was aborted before the end of the source. */
type ChainReport = { hasEnded: boolean; stored: EventCounts; duplicates: EventCounts }

/** While SWAP is full or the server is away, the last batches would wait for ever. */
const GIVE_UP_MS = 2_000

export async function runChain(
  source: ChainSource,
  run: ChainRun,
  { db, topology, publisher, log }: ChainServers,
): Promise<ChainReport> {
  const failed = new AbortController()
  const onFailure = (error: unknown): void => failed.abort(error)
  const recorder =
    run.key === undefined ? undefined : new CoverageRecorder(db, run.key, log, onFailure)
  const signal = AbortSignal.any([run.signal, failed.signal])
  const endGiveUp = giveUpAfter(signal, () => publisher.close())
  const retries = new Set<string>()
  run.heartbeat.follow(source)
  try {
    const whole = recorded(source, recorder, run.blocks)
    const { hasEnded, stored, duplicates } = await runSource(whole, {
      publish: publisher.publish,
      moreLingerMs: publisher.moreLingerMs,
      prefix: topology.prefix,
      laneCount: topology.laneCount,
      signal,
      onNotice({ at, reasons }) {
        for (const reason of reasons) run.progress.say(`${at} ${explainRefusal(reason)}`)
      },
      onProgress(progress) {
        retries.clear()
        run.heartbeat.noteNewest(progress.newest)
        // A part of `up` writes to the terminal or log that it shares with the others.
        if (process.connected !== true) run.onProgress(progress)
      },
      onAcknowledged(cursor, batches) {
        recorder?.acknowledge(cursor, batches)
        run.heartbeat.acknowledge(cursor)
      },
      onRetry({ message }) {
        run.heartbeat.noteRetry(message)
        // Reported once until a request succeeds again.
        if (!retries.has(message)) run.progress.say(`retrying: ${message}`)
        retries.add(message)
      },
    })
    failed.signal.throwIfAborted()
    return { hasEnded, stored, duplicates }
  } catch (error) {
    if (!run.signal.aborted) throw error
    return { hasEnded: false, stored: noEvents(), duplicates: noEvents() }
  } finally {
    endGiveUp()
    await recorder?.close()
  }
}

/** The same source; its batches are noted before they are published. */
function recorded(
  source: Source,
  recorder: CoverageRecorder | undefined,
  blocks: PublishedBlocks | undefined,
): Source {
  return {
    isLive: source.isLive,
    async *open(after, signal) {
      for await (const batch of source.open(after, signal)) {
        const passed = blocks === undefined ? batch : await blocks.pass(batch)
        recorder?.note(batch)
        yield passed
      }
    },
  }
}

function giveUpAfter(signal: AbortSignal, giveUp: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const begin = (): void => {
    timer = setTimeout(giveUp, GIVE_UP_MS)
  }
  signal.addEventListener('abort', begin, { once: true })
  return () => {
    signal.removeEventListener('abort', begin)
    clearTimeout(timer)
  }
}
