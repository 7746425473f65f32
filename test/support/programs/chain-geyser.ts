/**
 * A Yellowstone server and a JSON-RPC node of one chain, made of the recorded block's transactions, to try sources against:
 *
 *   node test/support/programs/chain-geyser.ts [--slots N] [--transactions N] [--port P] [--token T] [--faults SEED] [--fork]
 *
 * A slot comes every 400 ms while a client is subscribed. With --fork the last fifth of the chain is sent twice: first a
 * branch that is abandoned after five slots, then the one that the node serves. Prints both URLs and the range of slots.
 */
import { parseArgs } from 'node:util'
import { Prng } from '../../../streams/simulator/prng.ts'
import { disturbed, GEYSER_FAULT_NAMES } from '../chain/geyser/faults.ts'
import { type Step, scriptOf } from '../chain/geyser/script.ts'
import { startGeyserServer } from '../chain/geyser/server.ts'
import { startRpcServer } from '../chain/rpc-server.ts'
import { forkChain, makeChain } from '../chain/served-chain.ts'

const SLOT_MS = 400
const ABANDONED_SLOTS = 5

const { values } = parseArgs({
  options: {
    slots: { type: 'string', default: '300' },
    transactions: { type: 'string', default: '60' },
    port: { type: 'string', default: '0' },
    token: { type: 'string' },
    faults: { type: 'string' },
    fork: { type: 'boolean', default: false },
  },
})
const size = { transactions: Number(values.transactions) }
const chain = makeChain({ slots: Number(values.slots), ...size })
let script = scriptOf(chain, 'held')
if (values.fork) {
  const forkedAt = chain.from + Math.floor((chain.to - chain.from) * 0.8)
  const isOf = (from: number, to: number) => (step: Step) =>
    'slot' in step && step.slot >= from && step.slot <= to
  const abandoned = script.filter(isOf(chain.from, forkedAt + ABANDONED_SLOTS - 1))
  forkChain(chain, forkedAt, { ...size, seed: 2 })
  script = [...abandoned, ...scriptOf(chain, 'held').filter(isOf(forkedAt, chain.to))]
}
if (values.faults !== undefined) {
  const prng = new Prng([Number(values.faults)])
  script = disturbed(script, chain, GEYSER_FAULT_NAMES, prng)
}
const token = values.token === undefined ? {} : { token: values.token }
const geyser = await startGeyserServer({
  ...{ script, blockMs: SLOT_MS, port: Number(values.port) },
  ...token,
})
const rpc = await startRpcServer(chain)
console.log(`${geyser.url} (RPC ${rpc.url}) slots ${chain.from} to ${chain.to}`)
