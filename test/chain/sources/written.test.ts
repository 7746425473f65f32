/**
 * Blocks of the simulated market, all venues and layouts, over a real gRPC connection with every fault of a stream: the
 * source yields what the chain states, none lost, none doubled.
 */
import test from 'ava'
import { geyserSource } from '../../../chain/sources/geyser.ts'
import { Prng } from '../../../streams/simulator/prng.ts'
import { disturbed, GEYSER_FAULT_NAMES } from '../../support/chain/geyser/faults.ts'
import { fetchOf } from '../../support/chain/geyser/run.ts'
import { scriptOf } from '../../support/chain/geyser/script.ts'
import { startGeyserServer } from '../../support/chain/geyser/server.ts'
import { printed, readThrough } from '../../support/chain/read-through.ts'
import { eventsOfChain } from '../../support/chain/served-chain.ts'
import { WrittenChain } from '../../support/chain/written-chain.ts'
import { requestedSeed } from '../../support/seed.ts'

test('reads an encoded market from a stream with faults', async (t) => {
  const seed = requestedSeed() ?? 5
  const chain = new WrittenChain({ seed, swaps: 2_000, swapsPerSlot: 40 })
  const prng = new Prng([seed])
  const script = disturbed(scriptOf(chain, 'held'), chain, GEYSER_FAULT_NAMES, prng)
  const server = await startGeyserServer({ script })
  t.teardown(() => server.stop())
  const source = geyserSource({ endpoint: server.url, to: chain.to, fetchSlots: fetchOf(chain) })
  const { events, notices } = await readThrough(source, String(chain.from - 1))
  t.true(printed(events) === printed(eventsOfChain(chain)), `${events.length} events`)
  t.deepEqual(
    notices.filter(({ kind }) => kind !== 'fork'),
    [],
  )
})
