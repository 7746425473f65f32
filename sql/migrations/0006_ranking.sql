-- Token rankings: who traded a token when, and the pages that are made from it. Written by the ranking actor, except
-- for the screener's tables, which a job writes.
--
-- A wallet appears here as mixed_wallet(id), a point on a circle of 2^32: distinct for distinct ids and as good as
-- random, so that the least thousand of a set are a fair sample of it.

-- Trades and distinct traders of a token in a minute, dust and agent trades included. `buyers` and `sellers` are mixed
-- wallets, ascending; all of them up to 1,024. Of more the 1,024 least are stored, and `*_below` is the least that is
-- not: the number is then estimated, with a standard error of 3.1 %.
create table trader_minute (
  token_id integer not null,
  buy_count integer not null,
  bucket_ms bigint not null,
  sell_count integer not null,
  buyers_below integer,
  sellers_below integer,
  buyers integer[] not null,
  sellers integer[] not null,
  primary key (token_id, bucket_ms)
) with (fillfactor = 70);

-- The same by the hour, so that a day is 24 rows.
create table trader_hour (like trader_minute, primary key (token_id, bucket_ms)) with (fillfactor = 70);

-- 1 day and 30 days a chunk, in milliseconds.
select create_hypertable(
  'trader_minute', by_range('bucket_ms', 86400000), create_default_indexes => false
);
select create_hypertable(
  'trader_hour', by_range('bucket_ms', 2592000000), create_default_indexes => false
);

-- Wallets that traded anything in the last day, by the minute and by the hour: of each bucket at least the 1,025 least
-- mixed wallets (all, where there are no more). Older rows are deleted.
create table market_trader (
  is_hour boolean not null,
  bucket_ms bigint not null,
  wallet integer not null,
  primary key (is_hour, bucket_ms, wallet)
);

-- Time of a token's first indexed swap.
create table token_start (
  token_id integer primary key,
  first_ms bigint not null
);

-- Tokens whose sector, creator, candles or holders changed other than by a swap that the ranking reads: it reads them
-- again and deletes the rows in the commit of its pages. Written by triggers (functions/change_notices.sql), the ledger
-- actor and `rebuild candles`. Rows are inserted, never updated, so that writers do not wait for each other.
--   of_candles  candles were rebuilt: all minutes of the token are read again
--   wallet_id   one wallet's position alone changed; null: the token itself
create table token_change (
  id bigint generated always as identity primary key,
  token_id integer not null,
  of_candles boolean not null default false,
  wallet_id integer
);

-- The ranking may have missed messages (FEED was lost or trimmed before it read them): tokens are recounted from the
-- `swap` table, from `next_token_id` on. No row: nothing to recount.
create table ranking_recount (
  is_only boolean primary key default true check (is_only),
  next_token_id integer not null default 0
);

-- High-water mark of a recount, for tokens from `from_token_id` to before `to_token_id`: swaps of a pool lane's commits
-- up to this one are counted, whenever FEED brings them.
create table ranking_cover (
  from_token_id integer not null,
  to_token_id integer not null,
  pool_lane smallint not null,
  commit_number bigint not null,
  primary key (from_token_id, pool_lane)
);

-- The instant of the ranking's pages: newest swap's time, how far FEED was read, when the refresh was written, and the
-- version of the formulas that all pages and figures are of (domain/ranking.ts). A worker of another version replaces
-- them all in its first refresh; until then readers find none. Pages that would not change are not written again. This
-- table and the pages are unlogged: rebuilt after a crash.
create unlogged table ranking_roll (
  is_only boolean primary key default true check (is_only),
  newest_ms bigint not null,
  feed_sequence bigint not null,
  rolled_ms bigint not null,
  formula_version integer not null
) with (fillfactor = 50);

-- Trending tokens of a window and a sector ('': any), in order, as far as they are served; `total`: how many there are.
-- Pages hold the order alone: the figures of a token are stored once, in trending_token.
create unlogged table trending_page (
  window_minutes integer not null,
  has_rugged boolean not null,
  sector text collate "C" not null,
  total integer not null,
  token_ids integer[] not null,
  primary key (window_minutes, has_rugged, sector)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- One side of the top movers of a window on a venue (0: on all), likewise.
create unlogged table mover_page (
  window_minutes integer not null,
  dex smallint not null,
  is_gainer boolean not null,
  token_ids integer[] not null,
  primary key (window_minutes, dex, is_gainer)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- Figures of the tokens of trending_page, and of some that were on one before.
--   window_minutes  the windows of the row's figures, in their order: a reader finds a window here, at no fixed place
--   changes         percent, one a window; null without a priced trade
--   figures         nine a window: score, volume in SOL, and the seven parts of the score; null where the token did not
--                   trade, and of parts that are unknown
create unlogged table trending_token (
  token_id integer primary key,
  mint text collate "C" not null,
  window_minutes integer[] not null,
  changes double precision[] not null,
  figures double precision[] not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_threshold = 5000);

-- Figures of the tokens of mover_page on a venue; a token without a row of a venue did there what it did on all (0).
--   window_minutes  the windows of the row's figures, as in trending_token
--   figures         eight a window: venues of its counted pools (bit `dex`), change in percent, open, close, high, low,
--                   volume in SOL, trades; null where it did not move
create unlogged table mover_token (
  token_id integer not null,
  dex smallint not null,
  mint text collate "C" not null,
  window_minutes integer[] not null,
  figures double precision[] not null,
  primary key (token_id, dex)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_threshold = 5000);

-- Never out of line: pages of 400 and 500 ids fit beside one another, three on a page of the server.
alter table trending_page alter column token_ids set storage plain;
alter table mover_page alter column token_ids set storage plain;
alter table trending_token alter column figures set storage main;
alter table mover_token alter column figures set storage main;

-- The screener: all tokens with a trade in the window, as of `screener_roll`. Written by a job, in place and only where
-- a figure changed. Units as in the names; `venues`: bit `dex` of each venue with a pool that traded in the window.
create unlogged table screener_token (
  window_minutes integer not null,
  token_id integer not null,
  mint text collate "C" not null,
  price_sol double precision,
  volume_sol double precision not null,
  liquidity_sol double precision,
  change_pct double precision,
  trades bigint not null,
  buys bigint not null,
  sells bigint not null,
  buyers bigint not null,
  sellers bigint not null,
  holders bigint not null,
  first_ms bigint,
  venues integer not null,
  primary key (window_minutes, token_id)
) with (fillfactor = 60);

-- When the screener of a window was refreshed, and the newest swap's time then.
create unlogged table screener_roll (
  window_minutes integer primary key,
  newest_ms bigint not null,
  rolled_at timestamptz not null
);
