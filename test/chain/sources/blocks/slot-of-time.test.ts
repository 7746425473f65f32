/** The first slot at or after a time, compared with a search of the whole chain. */
import test from 'ava'
import { openBlockClient } from '../../../../chain/sources/blocks/block-client.ts'
import { slotOfTime } from '../../../../chain/sources/blocks/slot-of-time.ts'
import { startRpcServer } from '../../../support/chain/rpc-server.ts'
import { makeChain } from '../../../support/chain/served-chain.ts'

const NEVER = new AbortController().signal

test('finds the first slot with a block at or after every second of a chain', async (t) => {
  for (const seed of [1, 2, 3]) {
    const chain = makeChain({ seed, slots: 60, transactions: 1, skipShare: 0.4 })
    const server = await startRpcServer(chain)
    t.teardown(() => server.stop())
    const client = openBlockClient({ rpcUrl: server.url, requestsPerSecond: 10_000 })
    const times = Array.from(
      chain.blocks,
      ([slot, { blockTime }]) => [slot, blockTime ?? 0] as const,
    )
    const [first = 0, last = 0] = [times[0]?.[1], times.at(-1)?.[1]]
    for (let seconds = first; seconds <= last; seconds++) {
      const expected = times.find(([, time]) => time >= seconds)?.[0]
      t.is(await slotOfTime(client, seconds, NEVER), expected, `seed ${seed}, ${seconds}`)
    }
    t.is(await slotOfTime(client, last + 1, NEVER), undefined)
    t.deepEqual(await slotOfTime(client, first - 1, NEVER), {
      before: { first: chain.from, newest: chain.to },
    })
  }
})
