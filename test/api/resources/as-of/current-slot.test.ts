/** The current slot against the progress of workers and the coverage. */
import test from 'ava'
import { currentSlot } from '../../../../api/resources/as-of/current-slot.ts'

const { signal } = new AbortController()
const pool = { actor: 'pool', epoch: 'a', sequence: 40, first_slot: null } as const
const ledger = { actor: 'ledger', epoch: 'a', sequence: 40, first_slot: null } as const
const NONE = { newest: 900, open: [], rows: [pool, ledger] }
const never = () => Promise.reject(new Error('nothing is left to look for'))

test('it is the newest slot where every worker has read what the pools published', async (t) => {
  t.is(await currentSlot(NONE, never, signal), 900)
  t.is(await currentSlot({ ...NONE, newest: null }, never, signal), null)
})

test('it is below the first slot that a worker has left, whichever lags most', async (t) => {
  const rows = [
    pool,
    { ...ledger, sequence: 30 },
    { ...ledger, actor: 'ranking', sequence: 20 },
  ] as const
  const looked: unknown[] = []
  const least = async (feed: { after: number }) => {
    looked.push(feed)
    return feed.after === 20 ? 870 : 880
  }
  t.is(await currentSlot({ ...NONE, rows }, least, signal), 869)
  t.deepEqual(looked, [
    { epoch: 'a', after: 30, head: 40 },
    { epoch: 'a', after: 20, head: 40 },
  ])
})

test('it is below the slots of a commit that the feed may lack, and below each gap', async (t) => {
  const rows = [{ ...pool, first_slot: 850 }, ledger]
  t.is(await currentSlot({ ...NONE, rows }, never, signal), 849)
  const open = [{ from: 700, to: 710, venues: [] }]
  t.is(await currentSlot({ ...NONE, rows, open }, never, signal), 699)
  t.is(await currentSlot({ ...NONE, open: [{ from: 0, to: 5, venues: [] }] }, never, signal), null)
})

test('a worker whose rest is not known is a reason to try again', async (t) => {
  const rows = [pool, { ...ledger, sequence: 30 }]
  const error = await t.throwsAsync(currentSlot({ ...NONE, rows }, async () => undefined, signal))
  t.like(error, { code: 'UNAVAILABLE' })
})
