-- The ledger: one position per wallet and mint, its lots, what it did by the hour, and what is needed to
-- fold it again. Sums of int64 are numeric; a single leg, a count and a time are bigint or integer.

-- Columns after `lots_cost` down to `decimals` are for readers; all of them are what folding goes on
-- from. Lots are packed (24 bytes each): the oldest chunk and the newest; those between are in lot_chunk.
create table position (
  wallet_id integer not null,
  token_id integer not null,
  swap_count bigint not null,
  buy_count bigint not null,
  sell_count bigint not null,
  covered_sell_count bigint not null,
  win_count bigint not null,
  transaction_count bigint not null,
  arbitrage_count bigint not null,
  balance numeric not null,
  basis numeric not null,
  lots_cost numeric not null,
  realized_strict numeric not null,
  realized_adjusted numeric not null,
  buys_lamports numeric not null,
  sells_lamports numeric not null,
  uncovered_quantity numeric not null,
  uncovered_lamports numeric not null,
  largest_buy_lamports bigint not null,
  largest_sell_lamports bigint not null,
  fastest_flip_ms bigint,
  longest_hold_ms bigint,
  first_trade_ms bigint not null,
  last_trade_ms bigint not null,
  newest_buy_ms bigint,
  lot_first bigint not null,
  lot_next bigint not null,
  last_slot bigint not null,
  last_block_tx_index bigint not null,
  last_sol_amount bigint not null,
  last_token_amount bigint not null,
  last_ix_index integer not null,
  last_dex smallint not null,
  decimals smallint not null,
  last_sides smallint not null,
  last_is_buy boolean not null,
  last_signature text collate "C" not null,
  last_pair text collate "C" not null,
  slot_transactions bytea,
  lot_head bytea not null,
  lot_tail bytea not null,
  primary key (wallet_id, token_id)
) with (fillfactor = 60);

alter table position alter column lot_head set storage external;
alter table position alter column lot_tail set storage external;

create index position_token on position (token_id);

-- Sealed chunks of 128 lots between the oldest chunk and the newest; they never change, and go when
-- neither the position nor a snapshot of it reads them back.
create table lot_chunk (
  wallet_id integer not null,
  token_id integer not null,
  chunk integer not null,
  lots bytea not null,
  primary key (wallet_id, token_id, chunk)
);

-- A position as it was after every 1,000 swaps, the newest few: where folding again begins.
create table position_snapshot (
  wallet_id integer not null,
  token_id integer not null,
  swap_count bigint not null,
  slot bigint not null,
  first_chunk integer not null,
  state bytea not null,
  primary key (wallet_id, token_id, swap_count)
);

-- What a position did in an hour, by segment (1,000 swaps of the position): folding again from a
-- snapshot replaces the rows of its segments. An hour of a wallet is the sum of its rows. Best and
-- worst are of covered sells, by adjusted profit, with the place that decides between equals.
create table position_hour (
  wallet_id integer not null,
  hour_ms bigint not null,
  token_id integer not null,
  segment integer not null,
  buy_count integer not null,
  sell_count integer not null,
  covered_sell_count integer not null,
  win_count integer not null,
  transaction_count integer not null,
  arbitrage_count integer not null,
  realized_strict numeric not null,
  realized_adjusted numeric not null,
  realized_raw numeric not null,
  volume_lamports numeric not null,
  best_lamports numeric,
  best_slot bigint,
  best_block_tx_index bigint,
  best_ix_index integer,
  best_dex smallint,
  worst_lamports numeric,
  worst_slot bigint,
  worst_block_tx_index bigint,
  worst_ix_index integer,
  worst_dex smallint,
  primary key (wallet_id, token_id, segment, hour_ms)
);

-- 7 days a chunk, in milliseconds.
select create_hypertable(
  'position_hour', by_range('hour_ms', 604800000), create_default_indexes => false
);

-- Positions that are to be folded again from the `swap` table, by the lane that owns the wallet.
create table position_refold (
  wallet_id integer not null,
  token_id integer not null,
  lane smallint not null,
  from_slot bigint not null,
  primary key (wallet_id, token_id)
);

create index position_refold_lane on position_refold (lane);

-- Lanes that cannot know what they have not heard (the feed was lost or trimmed under them): wallet by
-- wallet, their positions are counted against the `swap` table, from `next_wallet_id` on.
create table ledger_audit (
  lane smallint primary key,
  next_wallet_id integer not null default 0
);

-- What a rebuild from the `swap` table has taken in: a lane passes over what the feed announces of a
-- pool lane's commits up to this one.
create table ledger_cover (
  lane smallint not null,
  pool_lane smallint not null,
  commit_number bigint not null,
  primary key (lane, pool_lane)
);
