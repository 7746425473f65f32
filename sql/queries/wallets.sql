-- name: wallets/find_wallet
-- A wallet that ever traded, and where its windows end, Unix ms: newest_swap_ms().
-- $1 text: address. Index: wallet_address_key, slot_span_pkey, those of has_traded().
select id, newest_swap_ms() as newest_ms from wallet where address = $1 and has_traded(id)

-- name: wallets/list_mints
-- Mints by their ids.
-- $1 integer[]: token ids. Index: token_pkey.
select id, address as mint from token where id = any ($1)

-- name: wallets/list_runs
-- When a wallet traded, by the hours of its positions: runs of them with at most two days between two.
-- $1 integer: wallet id, $2 integer[]: token ids, null for all. Result: first and last Unix ms of each run,
-- the oldest first; no row for a wallet without a position. Index: the primary key of position_hour.
select min(hour_ms) as first_ms, max(hour_ms) + 3599999 as last_ms
from (
  select hour_ms, count(*) filter (where is_first) over (order by hour_ms) as run
  from (
    select hour_ms, hour_ms - lag(hour_ms) over (order by hour_ms) > 172800000 as is_first
    from (
      select distinct hour_ms
      from position_hour
      where wallet_id = $1 and ($2::integer[] is null or token_id = any ($2))
    ) traded
  ) gap
) numbered
group by run
order by run

-- name: wallets/sum_hours
-- Figures of a wallet in some hours, all mints together, and its best and worst covered sell by adjusted
-- profit; of equal ones the earlier by (slot, block_tx_index, ix_index, dex), and the mints of all sells at that
-- position: swap-history/find_tied_mint decides which comes first. Mints are looked up only for these.
-- $1 integer: wallet id, $2 $3 bigint: the first and the last hour, Unix ms, $4 integer[]: token ids to leave out, null for
-- none. Result: one row, empty sums are 0; `best_mint` and `worst_mint` are of the first token id.
-- Index: the primary key of position_hour, token_pkey.
with hour as materialized (
  select *
  from position_hour
  where wallet_id = $1 and hour_ms between $2 and $3
    and ($4::integer[] is null or token_id <> all ($4))
),
total as (
  select
    coalesce(sum(buy_count + sell_count), 0)::bigint as trade_count,
    coalesce(sum(covered_sell_count), 0)::bigint as covered_sell_count,
    coalesce(sum(win_count), 0)::bigint as win_count,
    coalesce(sum(volume_lamports), 0) as volume_lamports
  from hour
),
best as (
  select
    lamports, slot, block_tx_index, ix_index, dex, array_agg(distinct token_id) as token_ids
  from (
    select
      best_lamports as lamports, best_slot as slot, best_block_tx_index as block_tx_index,
      best_ix_index as ix_index, best_dex as dex, token_id
    from hour
    where best_lamports is not null
    order by best_lamports desc, best_slot, best_block_tx_index, best_ix_index, best_dex
    fetch first 1 rows with ties
  ) as most
  group by lamports, slot, block_tx_index, ix_index, dex
),
worst as (
  select
    lamports, slot, block_tx_index, ix_index, dex, array_agg(distinct token_id) as token_ids
  from (
    select
      worst_lamports as lamports, worst_slot as slot, worst_block_tx_index as block_tx_index,
      worst_ix_index as ix_index, worst_dex as dex, token_id
    from hour
    where worst_lamports is not null
    order by worst_lamports, worst_slot, worst_block_tx_index, worst_ix_index, worst_dex
    fetch first 1 rows with ties
  ) as least
  group by lamports, slot, block_tx_index, ix_index, dex
)
select
  total.trade_count,
  total.covered_sell_count,
  total.win_count,
  total.volume_lamports,
  best.lamports as best_lamports,
  (select address from token where id = best.token_ids[1]) as best_mint,
  best.token_ids as best_token_ids,
  best.slot as best_slot,
  best.block_tx_index as best_block_tx_index,
  best.ix_index as best_ix_index,
  best.dex as best_dex,
  worst.lamports as worst_lamports,
  (select address from token where id = worst.token_ids[1]) as worst_mint,
  worst.token_ids as worst_token_ids,
  worst.slot as worst_slot,
  worst.block_tx_index as worst_block_tx_index,
  worst.ix_index as worst_ix_index,
  worst.dex as worst_dex
from total
left join best on true
left join worst on true
