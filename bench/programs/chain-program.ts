/**
 * Programs of the measurement of chain data: a JSON-RPC node that serves the recorded block in every slot, linked by
 * hashes, and a reader of such a node. Each is a process of its own, so that the CPU of the reader is the reader's.
 */
import { openBlockClient } from '../../streams/solana/rpc/block-client.ts'
import { backfillSource } from '../../streams/sources/chain/rpc.ts'
import { startRpcServer } from '../../test/support/chain/rpc-server.ts'
import {
  FIRST_SLOT,
  recordedBlock,
  type ServedChain,
} from '../../test/support/chain/served-chain.ts'
import { programOptions, say, untilStopRequested } from './program.ts'

/** `cpuMs`: of the reader, for all blocks after the warm-up. */
export type ChainSaid =
  | { kind: 'ready'; url: string }
  | { kind: 'read'; cpuMs: number; events: number }
type Serving = { slots: number; isGzipped: boolean }
type Reading = { url: string; warmUpBlocks: number; blocks: number }
export type ChainRequest = Serving | Reading

const asked = programOptions<ChainRequest>()
if ('url' in asked) await read(asked)
else await serve(asked)
process.disconnect?.()

async function serve({ slots, isGzipped }: Serving): Promise<void> {
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
  const server = await startRpcServer(chain, { isGzipped })
  say<ChainSaid>({ kind: 'ready', url: server.url })
  await untilStopRequested()
  await server.stop()
}

async function read({ url, warmUpBlocks, blocks }: Reading): Promise<void> {
  const client = openBlockClient({ rpcUrl: url, requestsPerSecond: 1_000 })
  const readFrom = async (from: number, count: number): Promise<number> => {
    const source = backfillSource({ client, from, to: from + count - 1 })
    let events = 0
    for await (const batch of source.open(undefined, new AbortController().signal)) {
      events += batch.events.length
    }
    return events
  }
  await readFrom(FIRST_SLOT, warmUpBlocks)
  const begun = process.cpuUsage()
  const events = await readFrom(FIRST_SLOT + warmUpBlocks, blocks)
  const { user, system } = process.cpuUsage(begun)
  say<ChainSaid>({ kind: 'read', cpuMs: (user + system) / 1000, events })
}
