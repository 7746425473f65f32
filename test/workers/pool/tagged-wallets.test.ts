/**
 * Tags of wallets are stamped into their swaps at publication, and stay: in the row, in FEED, and in republished
 * messages; and no table's verification depends on them.
 */
import test from 'ava'
import type { Event } from '../../../domain/events/event.ts'
import { encodeBase58 } from '../../../domain/numbers/base58.ts'
import { type Tag, tagBits } from '../../../domain/wallet/wallet-tag.ts'
import { query } from '../../../sql/query.ts'
import { decodeFeedBatch, type FeedEvent } from '../../../streams/codec/event-codec.ts'
import { TaggedWallets } from '../../../workers/pool/tagged-wallets.ts'
import { verify } from '../../../workers/verify/verify.ts'
import { SILENT } from '../../support/api/api-under-test.ts'
import { poolOf, swapEvent } from '../../support/events/sample-event.ts'
import {
  openPipeline,
  type Pipeline,
  publishAll,
  readFeed,
  recalled,
  until,
  untilCaughtUp,
} from '../../support/workers/pipeline.ts'
import { runWorker } from '../../support/workers/running-worker.ts'
import { smallMarket } from '../../support/workers/small-market.ts'
import { tagWallets } from '../../support/workers/tag-wallets.ts'

const walletsOf = (events: readonly Event[]): string[] => [
  ...new Set(events.flatMap((event) => (event.kind === 'swap' ? [event.swap.user] : []))),
]

/** The stamped tags: by signature and pool, in FEED and in the rows. */
async function stampsIn(pipeline: Pipeline) {
  const feed = (await readFeed(pipeline)).flatMap(({ events }) => events).flatMap(stampOf)
  const { rows } = await pipeline.db.query<{ key: string; tags: number | null }>(
    `select concat_ws(' ', signature, pair_address, ix_index, is_buy, sol_amount) as key, wallet_tags as tags
     from swap join pool on pool.id = pool_id`,
  )
  return {
    feed: feed.sort(),
    rows: rows.map(({ key, tags }) => `${key} ${tags ?? 0}`).sort(),
    isNullWithout: rows.every(({ tags }) => tags !== 0),
  }
}

function stampOf(event: FeedEvent): string[] {
  if (event.kind !== 'swap') return []
  const { signature, pairAddress, ixIndex, isBuy, solAmount } = event.swap
  const key = [signature, pairAddress, ixIndex, isBuy ? 't' : 'f', solAmount].join(' ')
  return [`${key} ${event.walletTags}`]
}

test('a swap carries the tags of its wallet at publication, even after later changes', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const market = smallMarket(41, 300)
  const third = Math.ceil(market.length / 3)
  const parts = [0, 1, 2].map((part) => market.slice(part * third, (part + 1) * third))
  const inLast = new Set(walletsOf(parts[2]!))
  const [first, second] = walletsOf(parts[1]!).filter((wallet) => inLast.has(wallet))
  const phases: [string, readonly Tag[]][][] = [
    [],
    [[first!, ['whale', 'sniper']]],
    [
      [first!, ['smart_money']],
      [second!, ['insider']],
    ],
  ]
  const expected: string[] = []
  let known = new Map<string, readonly Tag[]>()
  for (const [phase, tags] of phases.entries()) {
    known = new Map([...known, ...tags])
    await tagWallets(db, known, phase + 1)
    // A separate worker: a running one applies changes within a second.
    const worker = await runWorker(t, pipeline)
    await publishAll(pipeline, parts[phase]!, { eventsMax: 10 })
    await untilCaughtUp(pipeline)
    const published = (
      await Promise.all(
        Array.from({ length: pipeline.laneCount }, (_, lane) =>
          recalled(pipeline, pipeline.topology, lane),
        ),
      )
    ).flat()
    const inFeed = new Map(
      (await readFeed(pipeline)).map((m) => [
        `${m.subject} ${m.mark.commitNumber} ${m.mark.part}`,
        m.events,
      ]),
    )
    for (const { subject, commitNumber, part, payload } of published) {
      const again = decodeFeedBatch(payload).flatMap(stampOf)
      t.deepEqual(again, inFeed.get(`${subject} ${commitNumber} ${part}`)?.flatMap(stampOf))
    }
    await worker.stop()
    for (const event of parts[phase]!) {
      if (event.kind !== 'swap') continue
      const walletTags = tagBits(known.get(event.swap.user) ?? [])
      expected.push(
        ...stampOf({ ...event, poolPrice: 0, priceImpactBps: null, walletTags, bytes: undefined }),
      )
    }
  }
  const { feed, rows, isNullWithout } = await stampsIn(pipeline)
  t.deepEqual(feed, expected.sort())
  t.deepEqual(rows, feed)
  t.true(isNullWithout)
  for (const bits of [0, 5, 8, 2])
    t.true(
      feed.some((stamp) => stamp.endsWith(` ${bits}`)),
      `${bits}`,
    )
  const before = await verify(db, { log: SILENT })
  await db.query('update swap set wallet_tags = 3')
  const after = await verify(db, { log: SILENT })
  t.deepEqual(after.tables, before.tables)
})

test('a running worker applies changed and removed tags', async (t) => {
  const pipeline = await openPipeline(t)
  await runWorker(t, pipeline)
  let slot = 10
  /** The stamp of a swap that is published now. */
  const stampNow = async (user: string): Promise<number> => {
    const signature = encodeBase58(new Uint8Array(64).fill(slot))
    await publishAll(pipeline, [swapEvent({ slot: slot++, signature, user })])
    await untilCaughtUp(pipeline)
    const { rows } = await pipeline.db.query('select wallet_tags from swap where signature = $1', [
      signature,
    ])
    return rows[0].wallet_tags ?? 0
  }
  const user = poolOf(1)
  t.is(await stampNow(user), 0)
  await tagWallets(pipeline.db, new Map([[user, ['insider']]]), 1)
  await until('the tag is stamped', 60_000, async () => (await stampNow(user)) === 2)
  await tagWallets(pipeline.db, new Map([[user, []]]), 2)
  await until('no tag is stamped', 60_000, async () => (await stampNow(user)) === 0)
})

test('an impact that a late swap corrects leaves the stamp as it was', async (t) => {
  const pipeline = await openPipeline(t)
  const { db } = pipeline
  const user = poolOf(1)
  /** A swap of one pool that is measured by the price before it. */
  const swapAt = (slot: number, priceAfter: number): Event =>
    swapEvent({
      dex: 7,
      slot,
      signature: encodeBase58(new Uint8Array(64).fill(slot)),
      priceAfter,
      user,
    })
  await tagWallets(db, new Map([[user, ['whale']]]), 1)
  const worker = await runWorker(t, pipeline)
  await publishAll(pipeline, [swapAt(9, 1), swapAt(11, 2)])
  await untilCaughtUp(pipeline)
  await worker.stop()
  const eleventh = async () =>
    (await db.query('select price_impact_bps, wallet_tags from swap where slot = 11')).rows[0]
  const before = await eleventh()
  await tagWallets(db, new Map([[user, []]]), 2)
  await runWorker(t, pipeline)
  await publishAll(pipeline, [swapAt(10, 3)])
  await untilCaughtUp(pipeline)
  const after = await eleventh()
  t.not(after.price_impact_bps, before.price_impact_bps)
  t.deepEqual([before.wallet_tags, after.wallet_tags], [4, 4])
})

test('does not miss a change that commits after later ones', async (t) => {
  const { db } = await openPipeline(t)
  const users = [poolOf(1), poolOf(2)] as const
  await tagWallets(db, new Map(users.map((user) => [user, ['sniper'] as const])), 1)
  const { rows } = await db.query('select id from wallet order by address = $1 desc', [users[0]])
  const [slow, quick] = rows.map(({ id }) => id)
  const open = await db.connect()
  t.teardown(() => open.release(true))
  await open.query('begin')
  await open.query(
    'update wallet_profile set tags = 8, changed_by = pg_current_xact_id() where wallet_id = $1',
    [slow],
  )
  await tagWallets(db, new Map([[users[1], ['insider']]]), 2)
  const known = new TaggedWallets(0)
  await known.refresh(db)
  t.deepEqual([known.of(slow), known.of(quick), known.of(9_999_999)], [1, 2, 0])
  await open.query('commit')
  await known.refresh(db)
  t.deepEqual([known.of(slow), known.of(quick)], [8, 2])
})

test('finds changed profiles by their index, however many wallets have one', async (t) => {
  const { db } = await openPipeline(t)
  await db.query(
    `insert into wallet_profile (wallet_id, computed_ms, tags, changed_by)
     select id, id, case when id % 5 = 0 then 4 else 0 end, case when id % 5 = 0 then pg_current_xact_id() end
     from generate_series(1, 50000) id`,
  )
  await db.query('analyze wallet_profile')
  const { rows: marks } = await db.query(
    'select pg_snapshot_xmin(pg_current_snapshot())::text as mark',
  )
  const { rows } = await db.query(
    `explain (analyze, timing off, costs off) ${query('pool/list_changed_tags').text}`,
    [marks[0].mark],
  )
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  t.regex(plan, /Index (Only )?Scan using wallet_profile_changed/)
  t.notRegex(plan, /Seq Scan on wallet_profile/)
  const known = new TaggedWallets()
  await known.refresh(db)
  t.deepEqual([known.of(50_000), known.of(49_999), known.of(5)], [4, 0, 4])
})
