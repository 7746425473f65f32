/** Liquidity as screened_tokens() computes it from the table of venues, against that of the API's other routes. */
import test from 'ava'
import { liquiditySol } from '../../../api/resources/pairs/liquidity.ts'
import { int64 } from '../../../domain/amount.ts'
import { MIGRATION_CORRECTION_FROM_MS, VENUES } from '../../../domain/venue.ts'
import { testDatabase } from '../../support/servers/database.ts'

const MIGRATIONS = [null, MIGRATION_CORRECTION_FROM_MS - 1, MIGRATION_CORRECTION_FROM_MS]
const RESERVES = [0, 1, 123_456_789_012_345]
const STATED = [null, 0, 17_584_025_564, int64(2n ** 62n + 1n)]

test('every venue has the liquidity that pairs have, with every correction', async (t) => {
  const { db, drop } = await testDatabase()
  t.teardown(drop)
  const pools = VENUES.flatMap(({ dex }) =>
    MIGRATIONS.flatMap((migratedAtMs) =>
      RESERVES.flatMap((sol) => STATED.map((stated) => ({ dex, migratedAtMs, sol, stated }))),
    ),
  )
  await db.query(
    `insert into token (address) select 'token ' || n from generate_series(1, $1) as n`,
    [pools.length],
  )
  await db.query(
    `insert into pool
       (pair_address, token_id, dex, migrated_at_ms, last_sol_reserves,
        last_virtual_quote_reserves, last_price, last_price_ms)
     select 'pair ' || n, token.id, dex, migrated_at_ms, sol, stated, 1, 1
     from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[])
       with ordinality as pools (dex, migrated_at_ms, sol, stated, n)
     join token on token.address = 'token ' || n`,
    [
      pools.map(({ dex }) => dex),
      pools.map(({ migratedAtMs }) => migratedAtMs),
      pools.map(({ sol }) => sol),
      pools.map(({ stated }) => stated),
    ],
  )
  const { rows } = await db.query<{ n: number; liquidity: number }>(
    `select substr(mint, 7)::integer as n, liquidity_sol as liquidity
     from screened_tokens(array(select id from token), 1440, array['prices'])
     order by 1`,
  )
  // Reserves only, 17.58 SOL more, and what the swap states: of 0, 1 and many lamports, large sums alike.
  t.is(new Set(rows.map(({ liquidity }) => liquidity)).size, 11)
  t.deepEqual(
    rows.map(({ liquidity }) => liquidity),
    pools.map(({ dex, migratedAtMs, sol, stated }) =>
      liquiditySol({
        dex,
        last_sol_reserves: sol,
        migrated_at_ms: migratedAtMs,
        last_virtual_quote_reserves: stated,
      }),
    ),
  )
})
