/** A backfill requests nothing while a source follows the chain and the lanes lag. */
import test from 'ava'
import { PortalClient } from '../../../chain/sources/portal/client.ts'
import { portalRangeSource } from '../../../chain/sources/portal.ts'
import { givingWay } from '../../../deploy/chain/backfill/give-way.ts'
import { startPortal } from '../../support/chain/portal/portal-server.ts'
import { FIRST_SLOT, makeChain } from '../../support/chain/served-chain.ts'

const NEVER = new AbortController().signal

async function open(t: import('ava').ExecutionContext) {
  const portal = await startPortal(makeChain({ slots: 10, transactions: 2, skipShare: 0 }))
  t.teardown(() => portal.stop())
  const client = new PortalClient({ url: portal.url })
  return portalRangeSource({ client, from: FIRST_SLOT, to: FIRST_SLOT + 9 })
}

test('waits while a live source runs and a lane lags, and reads on afterwards', async (t) => {
  const lags = [500, 51, 50]
  const waits: number[] = []
  const source = givingWay(await open(t), {
    look: async () => ({ isLive: true, lag: lags.shift() ?? 0 }),
    onWait: (lag) => waits.push(lag),
  })
  let slots = 0
  for await (const _ of source.open(undefined, NEVER)) {
    slots++
    if (slots === 2) t.deepEqual(waits, [500, 51])
  }
  t.is(slots, 10)
  t.is(source.counts.slots, 10)
})

test('does not wait without a live source, however far the lanes lag', async (t) => {
  const waits: number[] = []
  const source = givingWay(await open(t), {
    look: async () => ({ isLive: false, lag: 1_000_000 }),
    onWait: (lag) => waits.push(lag),
  })
  for await (const _ of source.open(undefined, NEVER)) t.deepEqual(waits, [])
  t.is(source.counts.slots, 10)
})

test('an abort ends the wait', async (t) => {
  const end = new AbortController()
  const source = givingWay(await open(t), {
    look: async () => ({ isLive: true, lag: 1_000_000 }),
    onWait: () => end.abort(),
  })
  let slots = 0
  for await (const _ of source.open(undefined, end.signal)) slots++
  t.true(slots < 10)
})
