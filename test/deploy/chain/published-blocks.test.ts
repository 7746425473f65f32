/** The blocks that a source published, while the database is away and after it came back. */
import test from 'ava'
import { PublishedBlocks } from '../../../deploy/chain/published-blocks.ts'
import { connect } from '../../../sql/db.ts'
import { type SourceBatch, SourceError } from '../../../streams/sources/source.ts'
import { poolOf } from '../../support/events/sample-event.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { tcpProxy } from '../../support/servers/tcp-proxy.ts'

const block = (slot: number, branch: number): SourceBatch => ({
  ...{ events: [], cursor: String(slot), units: 1, newest: undefined, notices: [] },
  link: {
    ...{ slot, blockhash: poolOf(10 * slot + branch) },
    ...{ parentSlot: slot - 1, parentBlockhash: poolOf(10 * (slot - 1) + branch) },
  },
})

test('a retraction waits for a database that is away, and is not lost', async (t) => {
  const { db, databaseUrl, drop } = await testDatabase()
  t.teardown(drop)
  const first = await PublishedBlocks.load(db, undefined, false)
  for (const slot of [5, 6]) await first.pass(block(slot, 0))

  const proxy = await tcpProxy(t, databaseUrl)
  const away = connect(proxy.url, { max: 1 })
  t.teardown(() => away.end())
  const second = await PublishedBlocks.load(away, 5, true)
  t.deepEqual(second.links, [])
  t.deepEqual((await second.pass(block(5, 0))).events, [], 'the same block')
  proxy.cut()
  const error = await t.throwsAsync(second.pass(block(6, 1)), { instanceOf: SourceError })
  t.true(error?.isRetryable)
  proxy.mend()
  const { events, notices } = await second.pass(block(6, 1))
  t.deepEqual(events, [{ kind: 'retract', retraction: { slot: 6, blockhash: poolOf(60) } }])
  t.deepEqual(
    notices.map(({ kind, at }) => [kind, at]),
    [['fork', '6']],
  )
  t.deepEqual((await second.pass(block(7, 1))).events, [])
})

test('skipped slots retract the blocks that were there, slots that were passed over do not', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const first = await PublishedBlocks.load(db, undefined, false)
  for (const slot of [5, 6, 7]) await first.pass(block(slot, 0))
  const second = await PublishedBlocks.load(db, 5, true)
  const { link: _, ...skipped } = block(5, 0)
  const { events } = await second.pass(skipped)
  t.deepEqual(events, [{ kind: 'retract', retraction: { slot: 5, blockhash: poolOf(50) } }])
  const passedOver = { ...skipped, cursor: '7', gap: { from: 6, to: 7 } }
  t.deepEqual((await second.pass(passedOver)).events, [])
})

test('a run that ended before it had stored a retraction leaves it to the next', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const first = await PublishedBlocks.load(db, undefined, false)
  for (const branch of [0, 1, 0, 2]) await first.pass(block(5, branch))
  const second = await PublishedBlocks.load(db, 5, true)
  const { events } = await second.pass(block(5, 1))
  t.deepEqual(
    events,
    [50, 52].map((n) => ({ kind: 'retract', retraction: { slot: 5, blockhash: poolOf(n) } })),
  )
  const third = await PublishedBlocks.load(db, 6, true)
  t.deepEqual((await third.pass(block(6, 1))).events, [], 'all of slot 5 is recorded')
})
