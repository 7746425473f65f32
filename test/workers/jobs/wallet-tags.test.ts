/** Profiles of a hand-made market: every tag from real tables, twice the same, by schedule and on request. */
import test, { type ExecutionContext } from 'ava'
import { Client, type PoolClient } from 'pg'
import { latestMs } from '../../../domain/time/time.ts'
import { tagBits, tagsGoodSince } from '../../../domain/wallet/wallet-tag.ts'
import { CHUNKS_MAX } from '../../../sql/plans.ts'
import { query } from '../../../sql/query.ts'
import { walletTags } from '../../../workers/jobs/wallet-tags.ts'
import {
  addTrades,
  EXPECTED,
  insertKnownWallets,
  storedTags,
  swapOf,
} from '../../api/resources/tags/known-wallets.ts'
import { insertLedger, insertPass } from '../../support/api/insert-ledger.ts'
import { insertSwaps } from '../../support/api/insert-swaps.ts'
import { mint, pair, trader } from '../../support/market/sample-swap.ts'
import { recordingLog } from '../../support/recording-log.ts'
import { testDatabase } from '../../support/servers/database.ts'
import { until } from '../../support/workers/pipeline.ts'

const BOUND_MS = 60_000
const USERS = Object.keys(EXPECTED).map(Number)

async function bench(t: ExecutionContext) {
  const database = await testDatabase()
  t.teardown(() => database.drop())
  const { db } = database
  await insertKnownWallets(db)
  const deps = { db, log: recordingLog().log }
  return {
    db,
    run: (user?: number) =>
      walletTags(
        user === undefined ? {} : { wallet: trader(user) },
        deps,
        AbortSignal.timeout(BOUND_MS),
      ),
    /** Moves the computation of all profiles back by this time. */
    age: (ms: number) => db.query('update wallet_profile set computed_ms = computed_ms - $1', [ms]),
  }
}

async function rowsOf({ db }: Awaited<ReturnType<typeof bench>>) {
  const tags = await db.query('select * from wallet_tag order by wallet_id, token_id, tag')
  const profiles = await db.query('select * from wallet_profile order by wallet_id')
  return { tags: tags.rows, profiles: profiles.rows }
}

test('every wallet gets the tags that the rules give it, and no other', async (t) => {
  const under = await bench(t)
  for (const user of USERS) {
    await under.run(user)
    t.deepEqual(await storedTags(under.db, user), EXPECTED[user], `trader ${user}`)
  }
})

test('by schedule the wallets of the newest swaps are profiled', async (t) => {
  const under = await bench(t)
  await under.run()
  for (const user of USERS) t.deepEqual(await storedTags(under.db, user), EXPECTED[user])
  const { profiles } = await rowsOf(under)
  t.is(profiles.length, USERS.length)
  // The tags that workers stamp swaps with equal the stored ones.
  const { rows } = await under.db.query(
    `select wallet_id, array_agg(distinct tag) as tags from wallet_tag group by wallet_id`,
  )
  const bits = new Map(rows.map(({ wallet_id, tags }) => [wallet_id, tagBits(tags)]))
  for (const { wallet_id, tags } of profiles) t.is(tags, bits.get(wallet_id) ?? 0)
})

test('a profile that is good still is left alone; one that is not comes out the same', async (t) => {
  const under = await bench(t)
  await under.run()
  const first = await rowsOf(under)
  await under.run()
  await under.run(1)
  t.deepEqual(await rowsOf(under), first)
  await under.age(3_600_000)
  await Promise.all([under.run(), under.run(), under.run(1)])
  const again = await rowsOf(under)
  const timeless = (rows: { tags: object[] }) =>
    rows.tags.map((row) => ({ ...row, computed_ms: undefined }))
  t.deepEqual(timeless(again), timeless(first))
  for (const [index, { computed_ms, changed_by }] of again.profiles.entries()) {
    t.true(computed_ms >= first.profiles[index].computed_ms)
    // Tags that stay are no news to workers.
    t.is(changed_by, first.profiles[index].changed_by)
  }
})

test('removes a tag when its rule no longer holds', async (t) => {
  const under = await bench(t)
  await under.run(9)
  t.deepEqual(await storedTags(under.db, 9), EXPECTED[9])
  await addTrades(under.db, [{ user: 9, mint: 2, slot: 400, tokens: -900, sol: 450 }])
  await under.age(3_600_000)
  await under.run(9)
  t.deepEqual(await storedTags(under.db, 9), [])
})

test('an open value is a whale from 250 SOL on, at the price of the top pool only', async (t) => {
  const under = await bench(t)
  const sell = (slot: number, sol: number) =>
    addTrades(under.db, [{ user: 8, mint: 2, slot, tokens: -10, sol }])
  const tagsNow = async () => {
    await under.age(7_200_000)
    await under.run(9)
    return storedTags(under.db, 9)
  }
  await under.run(9)
  await sell(400, 2.5)
  t.deepEqual(await tagsNow(), [`whale ${mint(2)} 0.25`])
  await sell(410, 2.499_999)
  t.deepEqual(await tagsNow(), [])
  // Another pool's price is ten SOL a token, but most is traded elsewhere.
  const elsewhere = swapOf({ user: 11, mint: 2, slot: 420, tokens: 1, sol: 10 })
  await insertSwaps(under.db, [{ ...elsewhere, pairAddress: pair(99) }], { hasPrices: true })
  await insertLedger(under.db, [])
  t.deepEqual(await tagsNow(), [])
})

test('an open value is a whale while the mint is held on chain, where that is known', async (t) => {
  const under = await bench(t)
  for (const [held, tags] of [
    [{}, []],
    [{ [mint(2)]: 0, [mint(1)]: 7 }, []],
    [{ [mint(2)]: 1 }, EXPECTED[9]],
  ] as const) {
    await insertPass(under.db, trader(9), held)
    await under.age(7_200_000)
    await under.run(9)
    t.deepEqual(await storedTags(under.db, 9), tags)
  }
  // 8 is one by its earlier buy.
  await insertPass(under.db, trader(8), {})
  await under.run(8)
  t.deepEqual(await storedTags(under.db, 8), EXPECTED[8])
})

test('reads at most a thousand mints a statement for a wallet that buys every new mint', async (t) => {
  const under = await bench(t)
  // 2,500 other mints began like mint 0, of which trader 4 was a sniper, with only that event.
  await under.db.query(
    `with many as (
       insert into token (address) select 'many' || n from generate_series(1, 2500) as n
       returning id, address
     ),
     pools as (insert into pool (pair_address, token_id) select address, id from many returning id),
     candles as (
       insert into candle_4h (pool_id, trade_count, bucket_ms, volume_lamports)
       select pools.id, 1, birth.bucket_ms, 0
       from pools, (select min(bucket_ms) as bucket_ms from candle_4h) as birth
     )
     insert into position
     select (jsonb_populate_record(own, jsonb_build_object('token_id', many.id))).*
     from many, position as own
     where (own.wallet_id, own.token_id) = (
       select wallet.id, token.id from wallet, token where wallet.address = $1 and token.address = $2
     )`,
    [trader(4), mint(0)],
  )
  const taken = new Map<string, number[]>()
  const { query: request } = Client.prototype
  const watched = (client: PoolClient) => {
    client.query = ((...requested: [{ name?: string; values?: unknown[] }]) => {
      const [{ name = '', values = [] }] = requested
      const lists = values.flatMap((value) => (Array.isArray(value) ? [value.length] : []))
      taken.set(name, [...(taken.get(name) ?? []), ...lists])
      return Reflect.apply(request, client, requested)
    }) as typeof request
  }
  under.db.on('acquire', watched)
  await under.run(4)
  t.deepEqual(taken.get('swap-history.list_early_buys'), [1_000, 1_000, 501])
  t.deepEqual(taken.get('tags.list_creations'), [0, 1_000, 1_000, 501])
  t.deepEqual(await storedTags(under.db, 4), EXPECTED[4])
})

test('over many chunks plans are made for the values at hand, and tags are the same', async (t) => {
  const under = await bench(t)
  const modeOf = async () => {
    const connection = await under.db.connect()
    try {
      await connection.query('begin')
      await query('plans/choose_mode')(connection, [CHUNKS_MAX])
      const during = await connection.query('show plan_cache_mode')
      await connection.query('commit')
      const after = await connection.query('show plan_cache_mode')
      return [during, after].map(({ rows }) => rows[0].plan_cache_mode)
    } finally {
      connection.release()
    }
  }
  t.deepEqual(await modeOf(), ['force_generic_plan', 'auto'])
  await under.db.query(
    `insert into candle_1m (pool_id, trade_count, bucket_ms, first_slot, last_slot, volume_lamports)
     select 0, 1, day * 86400000::bigint, 1, 1, 5 from generate_series(1, $1::bigint) as day`,
    [CHUNKS_MAX],
  )
  t.deepEqual(await modeOf(), ['force_custom_plan', 'auto'])
  for (const user of USERS) {
    await under.run(user)
    t.deepEqual(await storedTags(under.db, user), EXPECTED[user], `trader ${user}`)
  }
})

test('stores only the later of two concurrent profiles of a wallet', async (t) => {
  const under = await bench(t)
  const { rows } = await under.db.query(
    `select wallet.id as wallet_id, token.id as token_id from wallet, token
     where wallet.address = $1 and token.address = $2`,
    [trader(9), mint(0)],
  )
  const { wallet_id: walletId, token_id: tokenId } = rows[0]
  // One that found a tag which the next does not find, and has not ended yet.
  const earlier = await under.db.connect()
  await earlier.query('begin')
  await query('tags/begin_profile')(earlier, [walletId])
  const found = [walletId, 1, [tokenId], ['sniper'], [1], tagBits(['sniper']), Date.now()]
  await query('tags/merge_profile')(earlier, found)
  const later = under.run(9)
  await until('the later one waits', BOUND_MS, async () => {
    const waiting = await under.db.query(
      `select from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return waiting.rows.length > 0
  })
  await earlier.query('commit')
  earlier.release()
  await later
  t.deepEqual(await storedTags(under.db, 9), EXPECTED[9])
})

test('new and profiled wallets share a run, and one kind fills the room that the other leaves', async (t) => {
  const under = await bench(t)
  const wallets = USERS.map(trader)
  /** Indexes of the wallets that are due in a run of so many; those before `known` are new. */
  const due = async (rows: number, known: number): Promise<number[]> => {
    await under.run()
    await under.age(3_600_000)
    // The last was profiled the longest ago.
    await under.db.query(
      `update wallet_profile set computed_ms = computed_ms - 1000 * array_position($1, address)
       from wallet where id = wallet_id`,
      [wallets],
    )
    await under.db.query(
      'delete from wallet_profile using wallet where id = wallet_id and address = any ($1)',
      [wallets.slice(0, known)],
    )
    const nowMs = Date.now()
    const requested = [tagsGoodSince(nowMs), rows, latestMs(nowMs)]
    const found = await query<{ wallet: string }>('swap-history/list_due_wallets')(
      under.db,
      requested,
    )
    return found.map(({ wallet }) => wallets.indexOf(wallet)).sort((a, b) => a - b)
  }
  t.is(wallets.length, 12)
  t.deepEqual((await due(4, 10)).slice(-2), [10, 11])
  t.deepEqual((await due(4, 6)).slice(-2), [10, 11])
  t.is((await due(4, 6)).filter((index) => index < 6).length, 2)
  t.deepEqual((await due(8, 11)).slice(-1), [11], 'one was profiled before: seven are new')
  t.is((await due(8, 11)).length, 8)
  t.deepEqual(await due(8, 1), [0, 5, 6, 7, 8, 9, 10, 11])
  t.is((await due(100, 6)).length, 12)
})

test('recomputes a profile dated ahead of the clock, on request or by schedule', async (t) => {
  const under = await bench(t)
  const stored = async () => (await rowsOf(under)).profiles.map(({ computed_ms }) => computed_ms)
  await under.run()
  await under.age(-3_600_000)
  t.true((await stored()).every((ms) => ms > Date.now()))
  await under.run(9)
  t.is((await stored()).filter((ms) => ms <= Date.now()).length, 1)
  await under.run()
  t.true((await stored()).every((ms) => ms <= Date.now()))
  for (const user of USERS) t.deepEqual(await storedTags(under.db, user), EXPECTED[user])
  // Clocks that are apart by less than a minute are right.
  await under.age(-30_000)
  const before = await stored()
  await under.run()
  t.deepEqual(await stored(), before)
})

test('by schedule a failing profile does not block other wallets, but an unavailable database ends the run', async (t) => {
  const under = await bench(t)
  const failWith = (code: string) =>
    under.db.query(
      `create or replace function refuse() returns trigger language plpgsql as $$
       begin raise exception 'refused' using errcode = '${code}'; end $$`,
    )
  const [{ id }] = (
    await under.db.query('select id from wallet where address = $1', [trader(USERS[0]!)])
  ).rows
  await failWith('22003')
  await under.db.query(
    `create trigger refuse before insert on wallet_profile for each row
     when (new.wallet_id = ${id}) execute function refuse()`,
  )
  for (const code of ['22003', '57014']) {
    await failWith(code)
    await under.age(3_600_000)
    await under.run()
    t.is((await rowsOf(under)).profiles.length, USERS.length - 1, code)
  }
  await t.throwsAsync(under.run(USERS[0]), { code: '57014' })
  await failWith('57P01')
  await t.throwsAsync(under.run(), { code: '57P01' })
})

test('ignores positions closed before the window for smart money', async (t) => {
  const under = await bench(t)
  // 40 days later a wallet trades: 216,000 slots are a day.
  await addTrades(under.db, [{ user: 11, mint: 2, slot: 40 * 216_000, tokens: 1, sol: 1 }])
  await under.run(10)
  t.deepEqual(await storedTags(under.db, 10), [])
})

test('a wallet that never traded has no profile', async (t) => {
  const under = await bench(t)
  await under.run(77)
  t.deepEqual(await rowsOf(under), { tags: [], profiles: [] })
})
