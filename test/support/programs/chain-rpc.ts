/**
 * A JSON-RPC node to try sources against, started by hand: a chain made of the recorded block's transactions.
 *
 *   node test/support/programs/chain-rpc.ts [--slots N] [--transactions N] [--port P] [--live] [--gzip] [--faults SEED]
 *
 * With --live the newest slot moves on every 400 ms. Prints the URL and the range of slots.
 */
import { parseArgs } from 'node:util'
import { faultsBySeed } from '../chain/rpc-faults.ts'
import { type RpcServerOptions, startRpcServer } from '../chain/rpc-server.ts'
import { extendChain, makeChain } from '../chain/served-chain.ts'

const SLOT_MS = 400
const FAULT_SHARE = 0.1

const { values } = parseArgs({
  options: {
    slots: { type: 'string', default: '100' },
    transactions: { type: 'string' },
    port: { type: 'string', default: '0' },
    live: { type: 'boolean', default: false },
    gzip: { type: 'boolean', default: false },
    faults: { type: 'string' },
  },
})
const size = values.transactions === undefined ? {} : { transactions: Number(values.transactions) }
const chain = makeChain({ slots: Number(values.slots), ...size })
const options: RpcServerOptions = { port: Number(values.port), isGzipped: values.gzip }
if (values.faults !== undefined) options.disturb = faultsBySeed(Number(values.faults), FAULT_SHARE)
const server = await startRpcServer(chain, options)
console.log(`${server.url} slots ${chain.from} to ${chain.to}`)
if (values.live) {
  setInterval(() => {
    extendChain(chain, 1, size)
    server.newest = chain.to
  }, SLOT_MS)
}
