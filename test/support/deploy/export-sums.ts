/**
 * SQL of DuckDB that computes candles, positions and a ranking from exported swaps only, and counts the rows that differ from
 * the exported ones. It shares no code with the product: candles by canonical order, balances as prefix sums that do not
 * fall below zero, realized PnL as cash flow.
 */

const DAY_MS = 86_400_000

/** Doubles of two divisions may differ in their last digits. */
const isOff = (one: string, other: string): string =>
  `abs(${one} - ${other}) > 1e-13 * abs(${one}) or (${one} is null) <> (${other} is null)`

const differs = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map(([one, other]) => `${one} is distinct from ${other}`).join(' or ')

const CANONICAL = `
  slot, block_tx_index, ix_index, dex, not is_buy, signature, pair_address, "user", sol_amount, token_amount`

/** Result: rows, differing. */
export function candleDifferences(folder: string, widthMs: number): string {
  return `
  with swaps as (
    select *,
      timestamp // ${widthMs} * ${widthMs} as bucket,
      row_number() over (order by timestamp // 60000, ${CANONICAL}) as place,
      sol_amount >= 10000 and token_amount >= least(10000, 10 ** quote_decimals)
        and agent_trade <> 2 as is_priced,
      sol_amount::double / token_amount::double * 10.0 ** (quote_decimals - 9) as price
    from '${folder}/swaps.parquet'
  ), computed as (
    select pair_address, bucket, any_value(token_address) as token_address,
      arg_min(price, place) filter (is_priced) as open,
      max(price) filter (is_priced) as high,
      min(price) filter (is_priced) as low,
      arg_max(price, place) filter (is_priced) as close,
      sum(sol_amount::hugeint) as lamports,
      sum(token_amount::hugeint) as units,
      count(*) as trades,
      count(*) filter (is_buy) as buys,
      count(distinct "user") as traders
    from swaps
    group by pair_address, bucket
    having count(*) filter (is_priced) > 0
  )
  select count(*) as rows, count(*) filter (
    where ${differs([
      ['c.token_address', 'e.token_address'],
      ['c.lamports', 'e.volume_lamports::hugeint'],
      ['c.units', 'e.volume_token::hugeint'],
      ['c.trades', 'e.trade_count'],
      ['c.buys', 'e.buy_count'],
      ['c.trades - c.buys', 'e.sell_count'],
      ['c.traders', 'e.unique_traders'],
    ])}
    or ${['open', 'high', 'low', 'close'].map((name) => isOff(`c.${name}`, `e.${name}`)).join(' or ')}
    or ${isOff('c.lamports / 1e9', 'e.volume_sol')}
  ) as differing
  from computed c
  full join '${folder}/candles.parquet' e
    on e.pair_address = c.pair_address and e.timestamp = c.bucket`
}

/** Result: rows, differing. */
export function positionDifferences(folder: string): string {
  return `
  with moved as (
    select "user", token_address, timestamp, is_buy, sol_amount,
      row_number() over (partition by "user", token_address order by ${CANONICAL}) as place,
      case when is_buy then greatest(token_amount::hugeint - transfer_fee_out, 0)
        else -(token_amount::hugeint + transfer_fee_in) end as delta
    from '${folder}/swaps.parquet'
  ), summed as (
    select *, sum(delta) over (partition by "user", token_address order by place) as total from moved
  ), computed as (
    select "user", token_address,
      arg_max(total, place) - least(min(total), 0) as balance,
      -least(min(total), 0) as uncovered,
      coalesce(sum(sol_amount::hugeint) filter (is_buy), 0) as bought,
      coalesce(sum(sol_amount::hugeint) filter (not is_buy), 0) as sold,
      count(*) filter (is_buy) as buys,
      count(*) filter (not is_buy) as sells,
      arg_min(timestamp, place) as first_ts,
      arg_max(timestamp, place) as last_ts
    from summed
    group by "user", token_address
  ), held as (
    select wallet, mint, sum(quantity) as quantity, sum(cost_lamports) as cost
    from '${folder}/lots.parquet'
    group by wallet, mint
  )
  select count(*) as rows, count(*) filter (where e.uncovered_sell_quantity > 0) as uncovered,
    count(*) filter (
    where ${differs([
      ['c.balance', 'e.balance_atomic::hugeint'],
      ['c.uncovered', 'e.uncovered_sell_quantity::hugeint'],
      ['c.bought', 'e.buys_lamports::hugeint'],
      ['c.sold', 'e.sells_lamports::hugeint'],
      ['c.sold - c.bought', 'e.realized_raw_lamports::hugeint'],
      ['c.buys', 'e.total_buy_count'],
      ['c.sells', 'e.total_sell_count'],
      ['c.first_ts', 'e.first_trade_ts'],
      ['c.last_ts', 'e.last_trade_ts'],
      ['c.balance', 'coalesce(h.quantity, 0)::hugeint'],
      ['e.cost_basis_strict_lamports', 'coalesce(h.cost, 0)'],
    ])}
    -- Proceeds less the cost of the sold lots are realized, where every sell was covered.
    or e.uncovered_sell_quantity = 0 and (
      e.realized_strict_lamports <> c.sold - c.bought + e.cost_basis_strict_lamports::hugeint
      or e.realized_adjusted_lamports <> c.sold - c.bought + e.cost_basis_adjusted_lamports::hugeint
    )
  ) as differing
  from computed c
  full join '${folder}/positions.parquet' e on e.wallet = c."user" and e.mint = c.token_address
  left join held h on h.wallet = e.wallet and h.mint = e.mint`
}

/** Compares a ranking of that many days by cash flow, arbitrageurs included. Result: rows, differing. */
export function leaderboardDifferences(folder: string, days: number): string {
  return `
  with hours as (
    select *, timestamp // 3600000 as hour from '${folder}/swaps.parquet'
  ), bounds as (
    select (max(timestamp) - ${days * DAY_MS}) // 3600000 as first, max(timestamp) // 3600000 as last
    from hours
  ), sums as (
    select "user" as wallet,
      sum(case when is_buy then -sol_amount::hugeint else sol_amount::hugeint end) as realized,
      count(*) as trades
    from hours, bounds
    where hour between first and last
    group by "user"
  ), computed as (
    select *, row_number() over (order by realized desc, wallet) as rank from sums
  )
  select count(*) as rows, count(*) filter (
    where ${differs([
      ['c.rank', 'e.rank'],
      ['c.realized', 'e.realized_lamports::hugeint'],
      ['c.trades', 'e.trade_count'],
    ])}
    or ${isOff('c.realized / 1e9', 'e.realized_sol')}
  ) as differing
  from computed c
  full join '${folder}/leaderboard.parquet' e on e.wallet = c.wallet`
}
