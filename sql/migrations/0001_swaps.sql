-- What is kept of swaps: dictionaries (token, wallet, pool), the swap hypertable with the one index
-- that finds a signature, pool events, and how slots and times lie to each other.
--
-- Addresses are interned: a row of `swap` holds two 4-byte ids instead of three texts of 44.
-- `swap` is partitioned by slot, because canonical order begins with it: a list stops at the newest
-- chunk that fills its page. 54,000 slots are 6 hours of chain: at 2,000 swaps/s 43 M rows a chunk.

create extension if not exists timescaledb;

create table token (
  id integer generated always as identity primary key,
  address text collate "C" not null unique,
  creator text collate "C",
  creator_slot bigint,
  decimals smallint,
  decimals_slot bigint,
  symbol text collate "C",
  symbol_slot bigint,
  name text collate "C",
  name_slot bigint,
  supply bigint,
  supply_slot bigint,
  sector text collate "C",
  sector_slot bigint
);

create table wallet (
  id integer generated always as identity primary key,
  address text collate "C" not null unique
);

-- A pool is a pair account with its mint; the state columns are those of its canonically newest swap.
create table pool (
  id integer generated always as identity primary key,
  pair_address text collate "C" not null,
  token_id integer not null references token,
  dex smallint,
  swap_count bigint not null default 0,
  last_slot bigint,
  last_block_tx_index bigint,
  last_timestamp_ms bigint,
  last_sol_amount bigint,
  last_token_amount bigint,
  last_sol_reserves bigint,
  last_token_reserves bigint,
  last_price_after double precision,
  corrected_pool_price double precision,
  migrated_at_ms bigint,
  last_ix_index integer,
  last_is_buy boolean,
  last_signature text collate "C",
  last_user text collate "C",
  migrated_from text collate "C",
  unique (pair_address, token_id)
) with (fillfactor = 60);

create index pool_token on pool (token_id);

create table swap (
  slot bigint not null,
  block_tx_index bigint not null,
  timestamp_ms bigint not null,
  sol_amount bigint not null,
  token_amount bigint not null,
  fee bigint not null,
  creator_fee bigint not null,
  virtual_sol_reserves bigint not null,
  virtual_token_reserves bigint not null,
  real_sol_reserves bigint not null,
  real_token_reserves bigint not null,
  transfer_fee_in bigint not null,
  transfer_fee_out bigint not null,
  cashback bigint not null,
  price_impact_bps bigint,
  pool_price double precision not null,
  price_before double precision,
  price_after double precision,
  pool_id integer not null,
  wallet_id integer not null,
  ix_index integer not null,
  fee_bps integer not null,
  creator_fee_bps integer not null,
  cashback_bps integer not null,
  time_source integer not null,
  agent_trade integer not null,
  dex smallint not null,
  quote_decimals smallint not null,
  is_buy boolean not null,
  signature text collate "C" not null
);

select create_hypertable('swap', by_range('slot', 54000), create_default_indexes => false);

create index swap_order on swap (slot, block_tx_index, ix_index, dex);
create index swap_pool on swap (pool_id, slot, block_tx_index, ix_index, dex);
create index swap_wallet on swap (wallet_id, slot, block_tx_index, ix_index, dex);
-- Whales (50 SOL and more) are rare: without this their list would walk past everybody else.
create index swap_whale on swap (slot, block_tx_index, ix_index, dex)
  where sol_amount >= 50000000000;

-- Where a signature stands: one probe, however many chunks `swap` has. The hash is 64 bits of the
-- text; what it finds is compared with the whole signature. The pair's hash tells a second delivery
-- from the other pools of an arbitrage without a look at `swap`.
create table swap_signature (
  signature_hash bigint not null,
  slot bigint not null,
  block_tx_index bigint not null,
  pair_hash integer not null
);

create index swap_signature_hash on swap_signature (signature_hash);

create table pool_event (
  pool_id integer not null references pool,
  slot bigint not null,
  block_tx_index bigint not null,
  ix_index integer not null,
  timestamp_ms bigint not null,
  dex smallint not null,
  event text collate "C" not null,
  signature text collate "C" not null,
  creator text collate "C",
  from_pair text collate "C",
  sol_amount bigint,
  token_amount bigint,
  unique (signature, event, pool_id, ix_index)
);

create index pool_event_order on pool_event (slot, block_tx_index, ix_index, dex);
create index pool_event_time on pool_event (timestamp_ms);
create index pool_event_pool on pool_event (pool_id, slot, block_tx_index, ix_index);

-- Pools whose stored swaps a late `migrated` event changed: the lane that owns the pool goes through
-- them in pages, from `next_slot` on, until none is left.
create table pool_repair (
  pool_id integer primary key references pool,
  lane smallint not null,
  next_slot bigint not null default 0
);

-- First and last time of the swaps of a run of slots, at two widths (100 and 10,000 slots): a window
-- of time becomes a range of slots, exactly, however times and slots disagree. Kept per lane, so
-- that lanes never wait for each other's rows.
create table slot_span (
  lane smallint not null,
  width integer not null,
  bucket bigint not null,
  first_ms bigint not null,
  last_ms bigint not null,
  primary key (width, bucket, lane)
) with (fillfactor = 60);
