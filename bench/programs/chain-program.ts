/**
 * Nodes of the measurement of chain data: a JSON-RPC server of blocks, each the recorded one, linked by its hashes. It
 * is a process of its own, so that the CPU of the reader is the reader's.
 */
import { startRpcServer } from '../../test/support/chain/rpc-server.ts'
import {
  FIRST_SLOT,
  recordedBlock,
  type ServedChain,
} from '../../test/support/chain/served-chain.ts'
import { programOptions, say, untilStopRequested } from './program.ts'

export type ChainSaid = { kind: 'ready'; url: string }
export type ChainRequest = { slots: number; isGzipped: boolean }

const { slots, isGzipped } = programOptions<ChainRequest>()
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
process.disconnect?.()
