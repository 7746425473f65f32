/**
 * A CAR file, or one on standard input, into SWAP: its slots are recorded in `coverage`, as they are read whole. Swaps that cannot
 * be decoded are reported one by one and counted, as by `backfill`; they do not make the file unread.
 */
import { EXPECTED_REJECT } from '../../chain/sources/batch.ts'
import { type CarFileInput, carSource } from '../../chain/sources/car.ts'
import type { ChainSource } from '../../chain/sources/reader.ts'
import type { BatcherDeps } from '../../streams/ingest/batcher.ts'
import { explainRefusal } from '../../streams/ingest/refusal.ts'
import { openFile, openPipe } from '../../streams/sources/open-file.ts'
import { runSource, type SourceProgress } from '../../streams/sources/run-source.ts'
import {
  type Cursor,
  type Source,
  type SourceBatch,
  SourceError,
} from '../../streams/sources/source.ts'
import { STANDARD_INPUT } from '../../streams/sources/standard-input.ts'
import type { CommandContext } from '../cli/command.ts'
import { explainError } from '../cli/explain-error.ts'
import { counted, duration, grouped, leftOut } from '../cli/format.ts'
import type { Progress } from '../cli/progress.ts'

export type Publishing = Pick<BatcherDeps, 'publish' | 'moreLingerMs' | 'prefix' | 'laneCount'>

/** `unread`: why the file was not read to its end; undefined where it was. */
type CarReport = { unread: string | undefined; gapSlots: number }

/** Records slots as their events are acknowledged (deploy/chain/coverage.ts). */
export type SlotRecorder = {
  note(batch: SourceBatch): void
  acknowledge(cursor: Cursor, batches: number): void
  close(): Promise<void>
}

export const STOPPED = 'stopped before its end'
const READ_BYTES = 256 * 1024

/** Rejects where a server failed. */
export async function ingestCar(
  file: string,
  publishing: Publishing,
  { stdin, signal }: CommandContext,
  progress: Progress,
  recorder: SlotRecorder | undefined,
): Promise<CarReport> {
  const startedAt = performance.now()
  const onWarning = (text: string): void => progress.say(text)
  const source = carSource({ input: inputOf(file, stdin), onWarning })
  let unread: string | undefined
  try {
    const { hasEnded } = await runSource(noted(source, recorder), {
      ...publishing,
      signal,
      onNotice({ at, reasons }) {
        for (const reason of reasons) progress.say(`${at} ${explainRefusal(reason)}`)
      },
      onProgress(far) {
        progress.update(() => `${file}: ${describe(far, source, performance.now() - startedAt)}`)
      },
      onAcknowledged: (cursor, batches) => recorder?.acknowledge(cursor, batches),
    })
    if (!hasEnded) unread = STOPPED
  } catch (error) {
    if (!signal.aborted && !(error instanceof SourceError)) throw error
    unread = signal.aborted ? STOPPED : reasonOf(error as SourceError, file)
  } finally {
    await recorder?.close()
  }
  progress.say(`${file}: ${summary(source, unread === undefined)}`)
  return { unread, gapSlots: source.counts.gapSlots }
}

/** Without the file's name. An error of the file system is explained as it is. */
function reasonOf({ cause, message }: SourceError, file: string): string {
  if (cause instanceof Error && 'syscall' in cause) return explainError(cause)
  const name = `${file}: `
  return message.startsWith(name) ? message.slice(name.length) : message
}

function inputOf(file: string, stdin: CommandContext['stdin']): CarFileInput {
  if (file === STANDARD_INPUT) {
    const open = async (signal: AbortSignal) => openPipe(stdin, signal)
    return { name: 'standard input', bytesTotal: () => undefined, open }
  }
  let bytesTotal: number | undefined
  return {
    name: file,
    bytesTotal: () => bytesTotal,
    async open(signal) {
      const opened = await openFile(file, signal, { highWaterMark: READ_BYTES })
      bytesTotal = opened.bytesTotal
      return opened.input
    },
  }
}

function noted(source: Source, recorder: SlotRecorder | undefined): Source {
  return {
    isLive: source.isLive,
    async *open(after, signal) {
      for await (const batch of source.open(after, signal)) {
        recorder?.note(batch)
        yield batch
      }
    },
  }
}

/** `45 %, 194,400 slots, 85 slots/s, 12,345 swaps, 2 h 3 min left` */
function describe({ share }: SourceProgress, { counts }: ChainSource, tookMs: number): string {
  const rate = (counts.slots / Math.max(tookMs, 1)) * 1_000
  const pace = `${counted(counts.slots, 'slot')}, ${grouped(rate)} slots/s, ${counted(counts.swaps, 'swap')}`
  if (share === undefined || share === 0) return pace
  return `${Math.floor(share * 100)} %, ${pace}, ${duration((tookMs * (1 - share)) / share)} left`
}

/** `900 slots, 45 of them skipped, 2 of them gaps; left out: 4 no_sol_side` */
function summary({ counts }: ChainSource, isWhole: boolean): string {
  const { slots, skippedSlots, gapSlots, rejects } = counts
  const gaps = gapSlots === 0 ? '' : `, ${grouped(gapSlots)} of them gaps`
  const expected = [...rejects].toSorted(([one]) => (one === EXPECTED_REJECT ? -1 : 1))
  const left = expected.map(([reason, count]) => `${grouped(count)} ${reason}`)
  const read = `${counted(slots, 'slot')}, ${grouped(skippedSlots)} of them skipped${gaps}`
  return [read, ...leftOut(left, isWhole)].join('; ')
}
