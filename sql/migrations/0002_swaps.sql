-- Swaps and pool events as they were accepted, and what finds them: by signature, by place in canonical order (slot,
-- transaction index, instruction index, venue, then a tie-break) and by time. All of it is written by the pool actor.

-- One row an accepted swap. Amounts of SOL are lamports, of tokens base units; prices are SOL per whole token.
-- `wallet_tags`: the wallet's tags when the swap was published, as bits (domain/wallet/wallet-tag.ts; null: none), so
-- that a replay filters as the live feed did.
--
-- Partitioned by slot, because canonical order begins with it: a list stops at the newest chunk that fills its page.
-- 54,000 slots are 6 hours of chain: at 2,000 swaps/s 43 million rows a chunk. The pool actor widens chunks of quiet
-- histories (sql/queries/pool/set_chunk_width.sql). The bulk COPY of workers/pool/write/copy.ts names its columns.
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
  signature text collate "C" not null,
  wallet_tags smallint
);

select create_hypertable('swap', by_range('slot', 54000), create_default_indexes => false);

create index swap_order on swap (slot, block_tx_index, ix_index, dex);
create index swap_pool on swap (pool_id, slot, block_tx_index, ix_index, dex);
create index swap_wallet on swap (wallet_id, slot, block_tx_index, ix_index, dex);
-- Whales (50 SOL and more) are rare: without this index their list would read past every other swap.
create index swap_whale on swap (slot, block_tx_index, ix_index, dex)
  where sol_amount >= 50000000000;

-- A swap's place in canonical order after the slot and before the pair; compares as that order does. Returned by
-- last_place().
create type swap_place as (
  block_tx_index bigint,
  ix_index integer,
  dex smallint,
  is_sell boolean,
  signature text collate "C"
);

-- Place of each signature: one probe, however many chunks `swap` has. The hash is 64 bits of the text; what it finds
-- is compared with the whole signature. The pair's hash distinguishes a redelivery from the other pools of an
-- arbitrage without a look at `swap`.
--
-- The unique key makes a batch that holds anything known fail by itself, so nothing is looked up before
-- (workers/pool/look-up.ts). `copy` is 0 but where several rows of a key are legitimate: another place stated by
-- another decoder, or a collision of hashes.
create table swap_signature (
  signature_hash bigint not null,
  slot bigint not null,
  block_tx_index bigint not null,
  pair_hash integer not null,
  copy integer not null default 0
);

create unique index swap_signature_key on swap_signature (signature_hash, pair_hash, copy);

-- One row an accepted pool event: `created`, `migrated`, `liquidity_added`, `liquidity_removed`.
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
create index pool_event_creator on pool_event (creator) where event = 'created';
-- How pools began, without the later changes of their liquidity.
create index pool_event_birth on pool_event (pool_id, slot, block_tx_index, ix_index, dex, signature)
  where event in ('created', 'migrated');

-- Pools whose stored swaps a late `migrated` event changed: the lane that owns the pool corrects them in pages, from
-- `next_slot` on, and deletes the row when none is left.
create table pool_repair (
  pool_id integer primary key references pool,
  lane smallint not null,
  next_slot bigint not null default 0
);

-- First and last time of the swaps of a run of slots, at three widths (100, 10,000 and 1,000,000,000 slots): translates
-- a range of time into a range of slots exactly, however times and slots disagree. One row a lane, so that lanes never
-- wait for each other's rows.
create table slot_span (
  lane smallint not null,
  width integer not null,
  bucket bigint not null,
  first_ms bigint not null,
  last_ms bigint not null,
  primary key (width, bucket, lane)
) with (fillfactor = 60);

-- Events that contradict what is stored and were written to no other table: both versions, as lines of the ingest
-- format, for an operator to judge. A version is listed once, however often it is delivered.
create table event_conflict (
  id bigint generated always as identity primary key,
  kind text collate "C" not null check (kind in ('redelivery_differs', 'fork_suspected')),
  event text collate "C" not null check (event in ('swap', 'pool_event')),
  signature text collate "C" not null,
  pair_address text collate "C" not null,
  wallet text collate "C",
  stored_slot bigint not null,
  kept_out_slot bigint not null,
  stored text not null,
  kept_out text not null,
  seen_at timestamptz not null default now()
);

create unique index event_conflict_version on event_conflict (signature, md5(kept_out));
