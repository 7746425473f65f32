/**
 * The simulated market as a chain: its events are encoded as blocks, and these are decoded like those of a node. It yields what
 * the chain states of the market, so a demonstration and its tests pass through the decoder without a node.
 *
 * To resume, the market is simulated again up to the slot of the cursor.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { type SimulateOptions, simulate } from '../../streams/simulator/simulate.ts'
import type { ChainTime, Cursor, Source, SourceBatch } from '../../streams/sources/source.ts'
import { batchesOf, decodeSlot, readChainCursor, resumeAfter } from './batch.ts'
import { readBlockResult } from './blocks/block-answer.ts'

type SimulatedChainOptions = SimulateOptions & {
  /** Multiple of the market's own pace; absent: as fast as it is read. */
  pace?: number
}

export function simulatedChainSource(options: SimulatedChainOptions): Source {
  return { isLive: true, open: (after, signal) => readChain(options, after, signal) }
}

async function* readChain(
  options: SimulatedChainOptions,
  after: Cursor | undefined,
  signal: AbortSignal,
): AsyncGenerator<SourceBatch> {
  // Here, so that no other command loads the encoder (docs/decisions/0081-the-encoder-stays-in-the-product.md).
  const [{ encodeBlock }, { slotsOf }] = await Promise.all([
    import('../encode-block.ts'),
    import('../encode-slots.ts'),
  ])
  const start = after === undefined ? undefined : resumeAfter(readChainCursor(after, NAME))
  const startedAt = performance.now()
  let newest: ChainTime | undefined
  for (const each of slotsOf(simulate(options))) {
    if (start !== undefined && each.slot < start.slot) continue
    if (options.pace !== undefined) {
      const dueMs = startedAt + (each.timestamp - options.fromMs) / options.pace
      await untilDue(dueMs, signal)
    }
    if (signal.aborted) return
    const slotBlock = readBlockResult(encodeBlock(each), each.slot)
    const yielded = each.slot === start?.slot ? start.events : 0
    for (const batch of batchesOf(slotBlock, decodeSlot(slotBlock, undefined), newest, yielded)) {
      newest = batch.newest
      yield batch
      if (signal.aborted) return
    }
  }
}

const NAME = 'the simulated chain'

async function untilDue(dueMs: number, signal: AbortSignal): Promise<void> {
  const leftMs = dueMs - performance.now()
  if (leftMs > 0) await pause(leftMs, undefined, { signal }).catch(() => {})
}
