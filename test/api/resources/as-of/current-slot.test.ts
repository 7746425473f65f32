/** The current slot against the progress of workers and the coverage. */
import test from 'ava'
import { currentSlot, type FeedReads } from '../../../../api/resources/as-of/current-slot.ts'

const { signal } = new AbortController()
const noted = { lane: 0, published_commit: 7, published_parts: 2, first_slot: null }
const pool = { ...noted, actor: 'pool', epoch: 'a', sequence: 40 } as const
const ledger = { ...noted, actor: 'ledger', epoch: 'a', sequence: 40 } as const
const NONE = { newest: 900, retracted: null, open: [], rows: [pool, ledger] }
const readOf = (commitNumber: number, parts: number) =>
  ({ epoch: 'a', sequence: 45, published: new Map([[0, { commitNumber, parts }]]) }) as const

const reads = (leastSlotAfter: FeedReads['leastSlotAfter'], position?: FeedReads['position']) => ({
  ...{ position, leastSlotAfter, signal },
})
const never = reads(() => Promise.reject(new Error('nothing is left to look for')))
const free = (slot: number | null, newest = slot) => ({ slot, newest, held: null })
const held = (by: string, slot: number) => ({ slot: slot - 1, newest: 900, held: { by, slot } })

test('it is the newest slot where every worker has read what the pools published', async (t) => {
  t.deepEqual(await currentSlot(NONE, never), free(900))
  t.deepEqual(await currentSlot({ ...NONE, newest: null }, never), free(null))
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
  t.deepEqual(await currentSlot({ ...NONE, rows }, reads(least)), held('ranking', 870) as never)
  t.deepEqual(looked, [
    { epoch: 'a', after: 30, head: 40 },
    { epoch: 'a', after: 20, head: 40 },
  ])
})

test('it is below the slots of a commit that the feed may lack', async (t) => {
  const rows = [{ ...pool, first_slot: 850 }, ledger]
  t.deepEqual(await currentSlot({ ...NONE, rows }, never), held('pool', 850) as never)
  const half = reads(async () => Number.POSITIVE_INFINITY, readOf(7, 1))
  t.deepEqual(await currentSlot({ ...NONE, rows }, half), held('pool', 850) as never)
})

test('a commit that was read from the feed does not hold it, but what a worker has not read of it does', async (t) => {
  const rows = [{ ...pool, first_slot: 850 }, ledger]
  const looked: unknown[] = []
  const least = (slot: number) => async (feed: object) => {
    looked.push(feed)
    return slot
  }
  const whole = reads(least(Number.POSITIVE_INFINITY), readOf(7, 2))
  t.deepEqual(await currentSlot({ ...NONE, rows }, whole), free(900))
  t.deepEqual(looked, [{ epoch: 'a', after: 40, head: 45 }])
  const lagging = reads(least(860), readOf(8, 1))
  t.deepEqual(await currentSlot({ ...NONE, rows }, lagging), held('ledger', 860) as never)
  // A position in another history of the feed states nothing about this commit.
  const other = reads(least(870), { ...readOf(7, 2), epoch: 'b' })
  t.deepEqual(await currentSlot({ ...NONE, rows }, other), held('pool', 850) as never)
})

test('the only lane of a worker that never committed has everything left', async (t) => {
  const looked: unknown[] = []
  const least = async (feed: object) => {
    looked.push(feed)
    return 3
  }
  const begins = { ...ledger, epoch: null, sequence: 0 }
  const one = { ...NONE, rows: [pool, begins] }
  t.deepEqual(await currentSlot(one, reads(least)), held('ledger', 3) as never)
  t.deepEqual(looked, [{ epoch: 'a', after: 0, head: 40 }])
  const several = { ...NONE, rows: [pool, ledger, { ...begins, lane: 1 }] }
  t.deepEqual(await currentSlot(several, never), free(900))
})

test('a retraction that is to be applied holds it, whatever its age', async (t) => {
  t.deepEqual(await currentSlot({ ...NONE, retracted: 850 }, never), held('pool', 850) as never)
  t.deepEqual(await currentSlot({ ...NONE, retracted: 901 }, never), free(900))
})

test('a gap at the end of the chain holds it, an older one does not', async (t) => {
  const gap = (from: number, to: number) => ({ ...NONE, open: [{ from, to, venues: [] }] })
  t.deepEqual(await currentSlot(gap(880, 890), never), held('gap', 880) as never)
  t.deepEqual(await currentSlot(gap(700, 837), never), held('gap', 700) as never)
  t.deepEqual(await currentSlot(gap(700, 836), never), free(900))
  t.deepEqual(await currentSlot(gap(901, 905), never), free(900))
  const all = await currentSlot(gap(0, 900), never)
  t.deepEqual(all, { slot: null, newest: 900, held: { by: 'gap', slot: 0 } })
})

test('a worker whose rest is not known is a reason to try again', async (t) => {
  const rows = [pool, { ...ledger, sequence: 30 }]
  const error = await t.throwsAsync(
    currentSlot(
      { ...NONE, rows },
      reads(async () => undefined),
    ),
  )
  t.like(error, { code: 'UNAVAILABLE' })
})
