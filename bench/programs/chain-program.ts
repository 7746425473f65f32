/**
 * Programs of the measurement of chain data: a JSON-RPC node or a Yellowstone server that serves the recorded block in
 * every slot, linked by hashes, and a reader of either. Each is a process of its own, so that the CPU of the reader is the
 * reader's.
 */
import { openBlockClient } from '../../chain/sources/blocks/block-client.ts'
import { geyserSource } from '../../chain/sources/geyser.ts'
import { backfillSource } from '../../chain/sources/rpc.ts'
import type { Source } from '../../streams/sources/source.ts'
import {
  FIRST_SLOT,
  recordedBlock,
  type ServedChain,
  scriptOf,
  startGeyserServer,
  startRpcServer,
} from '../test-support.ts'
import { programOptions, sendToStarter, untilStopRequested } from './program.ts'

/** `cpuMs`: of the reader, for all blocks after the warm-up. */
export type ChainMessage =
  | { kind: 'ready'; url: string }
  | { kind: 'read'; cpuMs: number; events: number }
/** `blockMs`: milliseconds between two blocks of a Yellowstone server; absent: a JSON-RPC node. */
type Serving = { slots: number; blockMs?: number }
type Reading = { url: string; isLive?: boolean; warmUpBlocks: number; blocks: number }
export type ChainRequest = Serving | Reading

const NEVER = new AbortController().signal

const request = programOptions<ChainRequest>()
if ('url' in request) await read(request)
else await serve(request)
process.disconnect?.()

async function serve({ slots, blockMs }: Serving): Promise<void> {
  const hashOf = (slot: number): string => `block of slot ${slot}`
  const chain: ServedChain = { from: FIRST_SLOT, to: FIRST_SLOT + slots - 1, blocks: new Map() }
  for (let slot = chain.from; slot <= chain.to; slot++) {
    chain.blocks.set(slot, {
      ...recordedBlock(),
      blockhash: hashOf(slot),
      previousBlockhash: hashOf(slot - 1),
      parentSlot: slot - 1,
    })
  }
  const server =
    blockMs === undefined
      ? await startRpcServer(chain)
      : await startGeyserServer({ script: scriptOf(chain, 'held'), blockMs })
  sendToStarter<ChainMessage>({ kind: 'ready', url: server.url })
  await untilStopRequested()
  await server.stop()
}

async function read({ url, isLive = false, warmUpBlocks, blocks }: Reading): Promise<void> {
  const batches = isLive
    ? liveSource(url, warmUpBlocks + blocks).open(undefined, NEVER)
    : backfill(url, warmUpBlocks + blocks).open(undefined, NEVER)
  let [slots, events] = [0, 0]
  let begun = process.cpuUsage()
  for await (const batch of batches) {
    if (slots >= warmUpBlocks) events += batch.events.length
    slots += batch.units
    if (slots === warmUpBlocks) begun = process.cpuUsage()
  }
  const { user, system } = process.cpuUsage(begun)
  sendToStarter<ChainMessage>({ kind: 'read', cpuMs: (user + system) / 1000, events })
}

function liveSource(endpoint: string, blocks: number): Source {
  return geyserSource({ endpoint, from: FIRST_SLOT, to: FIRST_SLOT + blocks - 1 })
}

function backfill(rpcUrl: string, blocks: number): Source {
  const client = openBlockClient({ rpcUrl, requestsPerSecond: 1_000 })
  return backfillSource({ client, from: FIRST_SLOT, to: FIRST_SLOT + blocks - 1 })
}
