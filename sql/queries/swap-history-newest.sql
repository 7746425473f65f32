-- name: swap-history/begin_audit
-- Begins an audit of all wallets of a lane, which may have missed messages. Not before the first swap is stored. $1
-- smallint: lane.
insert into ledger_audit (lane)
select $1::smallint where exists (select from swap)
on conflict (lane) do update set next_wallet_id = 0

-- name: swap-history/count_newer_swaps
-- How many swaps of the table are of later slots, as far as that matters. $1 bigint: slot, $2 integer: the most to count.
-- Index: swap_order.
select count(*)::integer as swap_count
from (select from swap where slot > $1 limit $2) as newer

-- name: swap-history/find_subjects
-- The wallet and the mint that examples of the documents name, with another mint: of those that traded among the newest
-- 2,000 swaps the wallet whose position satisfies most criteria (it holds some, sold, bought for 50 SOL or more, holds
-- another mint, bought twice; the token has a creator, a sector and a symbol; the wallet is tagged), of the token that
-- traded most; ties by address. No row: no swap is stored, or none in a position yet.
-- Result: largest_buy_lamports is that of the position; sector is that of the most traded token with one where this
-- token has none; other_mint, symbol, name, sector and creator may be null.
-- Index: swap_order, pool_pkey, position_pkey, token_pkey, wallet_pkey, wallet_tag_pkey.
with newest as materialized (
  select pool_id, wallet_id
  from swap
  order by slot desc, block_tx_index desc, ix_index desc, dex desc
  fetch first 2000 rows with ties
),
traded as materialized (
  select newest.wallet_id, pool.token_id, count(*) as swap_count
  from newest
  join pool on pool.id = newest.pool_id
  group by 1, 2
),
by_token as materialized (
  select token_id, sum(swap_count) as swap_count from traded group by 1
),
described as (
  select
    traded.wallet_id, traded.token_id, position.largest_buy_lamports,
    8 * (position.balance > 0)::integer
      + 4 * (position.sell_count > 0)::integer
      + 4 * (position.largest_buy_lamports >= 50000000000)::integer
      + 4 * exists (
        select from position as other
        where other.wallet_id = traded.wallet_id and other.token_id <> traded.token_id and other.balance > 0
      )::integer
      + 2 * (position.buy_count > 1)::integer
      + 2 * (token.creator is not null)::integer
      + 2 * coalesce(token.sector <> '' and token.symbol <> '', false)::integer
      + exists (select from wallet_tag where wallet_tag.wallet_id = traded.wallet_id)::integer as answers,
    by_token.swap_count
  from traded
  join by_token on by_token.token_id = traded.token_id
  join position on position.wallet_id = traded.wallet_id and position.token_id = traded.token_id
  join token on token.id = traded.token_id
  where position.buy_count > 0
),
found as (
  select described.*
  from described
  join wallet on wallet.id = described.wallet_id
  join token on token.id = described.token_id
  order by described.answers desc, described.swap_count desc, wallet.address, token.address
  limit 1
)
select
  wallet.address as wallet, token.address as mint, found.largest_buy_lamports,
  token.symbol, token.name, token.creator,
  coalesce(nullif(token.sector, ''), (
    select other.sector
    from by_token
    join token as other on other.id = by_token.token_id
    where other.sector <> ''
    order by by_token.swap_count desc, other.address
    limit 1
  )) as sector,
  (
    select other.address
    from by_token
    join token as other on other.id = by_token.token_id
    where by_token.token_id <> found.token_id
    order by by_token.swap_count desc, other.address
    limit 1
  ) as other_mint
from found
join wallet on wallet.id = found.wallet_id
join token on token.id = found.token_id

-- name: swap-history/list_committed_swaps
-- The swaps that a transaction stored. xmin is the transaction that made a row's present version;
-- rows that the same commit only changed have another (see writeImpacts).
-- $1 text: transaction (xid8); pairwise: $2 bigint[] first, $3 bigint[] last slot of the runs that hold them; $4 $5
-- bigint: least and greatest slot, which exclude all other chunks. Index: swap_order.
select
  {+stored_swap_columns}, swap.wallet_tags
from unnest($2::bigint[], $3::bigint[]) as run (first_slot, last_slot)
join swap on swap.slot between run.first_slot and run.last_slot
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.xmin = $1::xid8::xid
  and swap.slot between $4::bigint and $5::bigint

-- name: swap-history/list_due_wallets
-- Wallets whose tags are to be computed: those of the newest 20,000 swaps, and those that were viewed before and traded
-- since. Half of the rows are wallets without tags so far, half wallets with tags, the oldest first; where one half has
-- fewer, the other has the rest: in a market with ever new wallets, these alone would fill every run.
-- $1 bigint: Unix ms; tags that were computed later are still fresh; $2 integer: rows; $3 bigint: Unix ms of the latest
-- time of a right clock: tags dated later are due, and come last.
-- Index: swap_order, wallet_profile_pkey, the primary key of position.
select due.wallet
from (
  select
    wallet.id,
    wallet.address as wallet,
    profile.computed_ms,
    row_number() over (
      partition by profile.computed_ms is null order by profile.computed_ms, wallet.address
    ) as ordinal
  from (
    select wallet_id
    from (select wallet_id from swap order by slot desc fetch first 20000 rows with ties) newest
    union
    select wallet_id
    from wallet_profile
    where computed_ms > $3 or computed_ms <= $1 and exists (
      select from position
      where position.wallet_id = wallet_profile.wallet_id
        and position.last_trade_ms > wallet_profile.computed_ms
    )
  ) candidate
  join wallet on wallet.id = candidate.wallet_id
  left join wallet_profile profile on profile.wallet_id = candidate.wallet_id
  where profile.computed_ms is null or profile.computed_ms <= $1 or profile.computed_ms > $3
) as due
order by due.ordinal, due.computed_ms nulls first, due.wallet
limit $2

-- name: swap-history/read_newest
-- Where trailing windows end (the newest indexed swap's time, or now if that is earlier), and the greatest time and slot of
-- an indexed swap; null before the first.
-- Indexes: that of newest_swap_ms(), swap_order.
select newest_swap_ms() as newest_ms, latest_swap_ms() as latest_ms, (select max(slot) from swap) as newest_slot

-- name: swap-history/read_newest_slot
-- The greatest slot of an indexed swap; null before the first. Index: swap_order.
select max(slot) as newest_slot from swap

-- name: swap-history/read_totals
-- Totals of everything that is indexed. Trades and SOL by quarters of an hour of each venue; every pool and wallet is
-- counted, and no swap but the retracted ones, whose wallets may have no other: caching the response pays for it. Times
-- are Unix ms, null before the first swap.
-- Indexes: venue_volume_pkey, wallet_pkey, pool_pkey, slot_span_pkey, swap_order, those of sol_usd() and has_traded().
select
  traded.trade_count,
  traded.volume_lamports,
  counted.pool_count,
  counted.token_count,
  (select count(*) from wallet) - (
    select count(*)
    from (select distinct wallet_id from retracted_swap) as retracted
    where not has_traded(retracted.wallet_id)
  ) as wallet_count,
  (select min(first_ms) from slot_span where width = 1000000000) as first_ms,
  latest_swap_ms() as newest_ms,
  (select max(slot) from swap) as newest_slot,
  sol_usd() as sol_usd
from (
  select
    coalesce(sum(trade_count), 0)::bigint as trade_count,
    coalesce(sum(volume_lamports), 0) as volume_lamports
  from venue_volume
  where width = 900000
) as traded
cross join (
  select count(*) as pool_count, count(distinct token_id) as token_count from pool where swap_count > 0
) as counted
