-- The ledger: one position per wallet and mint, its lots, what it did by the hour, and what recomputing it needs.
-- Written by the ledger actor and by `rebuild ledger`. Sums of int64 are numeric; a single leg, a count and a time are
-- bigint or integer. Lamports are 1e-9 SOL, quantities base units.

-- Everything from which folding continues. Columns after `lots_cost` down to `decimals` also serve readers. Lots are
-- packed, 24 bytes each: the oldest chunk (`lot_head`) and the newest (`lot_tail`); those between are in lot_chunk.
-- `held_changes`: when the wallet became a holder in its last day and ceased to be one, in minutes since 1970, negative
-- where it ceased. A rebuild copies whole rows in the order of these columns.
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
  held_changes integer[],
  primary key (wallet_id, token_id)
) with (fillfactor = 60);

-- Packed lots do not compress.
alter table position alter column lot_head set storage external;
alter table position alter column lot_tail set storage external;

create index position_token on position (token_id);

-- Sealed chunks of 128 lots between the oldest chunk and the newest. A chunk never changes; it is deleted when neither
-- the position nor a snapshot of it refers to it.
create table lot_chunk (
  wallet_id integer not null,
  token_id integer not null,
  chunk integer not null,
  lots bytea not null,
  primary key (wallet_id, token_id, chunk)
);

-- A position as it was after every 1,000 swaps, the newest few: where recomputing begins.
create table position_snapshot (
  wallet_id integer not null,
  token_id integer not null,
  swap_count bigint not null,
  slot bigint not null,
  first_chunk integer not null,
  state bytea not null,
  primary key (wallet_id, token_id, swap_count)
);

-- Sums of a position in an hour (`hour_ms`: its beginning), by segment of 1,000 swaps of the position: recomputing
-- from a snapshot replaces the rows of its segments. An hour of a wallet is the sum of its rows. Best and worst are of
-- covered sells, by adjusted profit, with the place that decides between equals. A rebuild copies whole rows in the
-- order of these columns. Only sums of a row change: with room on its page no index is touched.
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
) with (fillfactor = 75);

-- 7 days a chunk, in milliseconds.
select create_hypertable(
  'position_hour', by_range('hour_ms', 604800000), create_default_indexes => false
);

-- Positions to be recomputed from the `swap` table from `from_slot` on, by the lane that owns the wallet.
create table position_refold (
  wallet_id integer not null,
  token_id integer not null,
  lane smallint not null,
  from_slot bigint not null,
  primary key (wallet_id, token_id)
);

create index position_refold_lane on position_refold (lane);

-- Lanes that may have missed messages (FEED was lost or trimmed before they read it): the positions of their wallets
-- are counted against the `swap` table, from `next_wallet_id` on.
create table ledger_audit (
  lane smallint primary key,
  next_wallet_id integer not null default 0
);

-- High-water mark of a rebuild from the `swap` table: a lane skips what FEED publishes of a pool lane's commits up to
-- this one.
create table ledger_cover (
  lane smallint not null,
  pool_lane smallint not null,
  commit_number bigint not null,
  primary key (lane, pool_lane)
);

-- Messages that a lane applied ahead of its checkpoint while it reads history and the reorder buffer holds the newest
-- swaps back: of the messages up to `sequence`, the swaps up to `slot`. It does not cover later messages.
create table ledger_ahead (
  lane smallint primary key,
  sequence bigint not null,
  slot bigint not null
) with (fillfactor = 50);
