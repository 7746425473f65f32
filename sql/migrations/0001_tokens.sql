-- Identities: tokens, wallets and pools, interned as 4-byte ids.
--
-- Addresses are stored once, here; every other table refers to them by id, so that a row of `swap` holds two integers
-- instead of three texts of 44 characters. Texts compare by code point (collate "C"). Lamports are 1e-9 SOL; times are
-- Unix milliseconds (`_ms`) unless the type is timestamptz.

create extension if not exists timescaledb;

-- One row a mint. Written by the pool actor: at the first event of the mint, then by token lines. Each fact carries the
-- slot of the line that stated it, so that a late line never overwrites a newer one. `supply` is in base units.
-- `*_key`: what search compares, computed by the program (domain/text/search-key.ts), because the database's lower()
-- knows no full case folding; rows without a key are filled in after a migration (workers/search-keys.ts).
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
  sector_slot bigint,
  symbol_key text collate "C",
  name_key text collate "C",
  sector_key text collate "C"
);

create index token_creator on token (creator) where creator is not null;
create index token_symbol on token (symbol_key, id);
create index token_name on token (name_key, id);
-- Pages of the tokens of one sector, and of those with any sector, by mint. The empty sector means none.
create index token_sector on token (sector_key, address) where sector_key <> '';
create index token_with_sector on token (address) where sector <> '';
-- Rows without the key of a text that they have; empty except after an older version of the program wrote.
create index token_unkeyed on token (id)
where
  symbol is not null and symbol_key is null or name is not null and name_key is null
  or sector is not null and sector_key is null;

-- The version of the key function and of Unicode by which search keys were computed; no row before the first time.
-- Written by `migrate` and `up`.
create table search_key_version (
  is_only boolean primary key default true check (is_only),
  version text not null
);

-- One row a wallet, written by the pool actor at the wallet's first swap.
create table wallet (
  id integer generated always as identity primary key,
  address text collate "C" not null unique
);

-- One row a pool, which is a pair account together with its mint; written by the pool actor. The columns `dex` and
-- `last_*` up to `last_user` describe the canonically newest swap and are null before the first. Prices are SOL per
-- whole token.
--   migrated_at_ms, migrated_from  the migration that decides the correction of venue 2; null without one
--   newest_ms                      greatest time of a swap, which need not be the canonically newest one's
--   last_price, last_price_ms      of the last priced trade (no dust, no agent trade)
--   last_quote_decimals            decimals that the canonically newest swap states
--   first_slot                     slot of the canonically first swap, whenever it arrived
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
  newest_ms bigint,
  last_price double precision,
  last_price_ms bigint,
  last_quote_decimals smallint,
  first_slot bigint,
  unique (pair_address, token_id)
) with (fillfactor = 60);

create index pool_token on pool (token_id);
-- The venue of a pool hardly ever changes, so this index does not prevent heap-only updates.
create index pool_dex on pool (dex, id);
