-- Pages of rankings hold the order of tokens alone, and what a token did stands once, instead of in each page that
-- it is on: a roll writes the tokens that traded, not all of every page. Made anew, as after a crash.
drop table trending_page, mover_page;
delete from ranking_roll;

-- Trending tokens of a window and a sector ('': any), in order, as far as they are served. `total`: how many
-- there are.
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

-- What the tokens of trending_page did, and some that are on none any more. `changes`: percent by window, 1m to
-- 24h, null without a priced trade. `figures`: by window likewise nine each: score, volume in SOL, and the seven
-- parts of the score; null where the token did not trade, and of parts that are unknown.
create unlogged table trending_token (
  token_id integer primary key,
  mint text collate "C" not null,
  changes double precision[] not null,
  figures double precision[] not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_threshold = 5000);

-- What the tokens of mover_page did on a venue, likewise; who has no row of a venue that it is on a page of did
-- there what it did on all (0). `figures`: by window, 5m 15m 1h 4h 24h, eight each: the
-- venues of its counted pools (bit `dex`), change in percent, open, close, high, low, volume in SOL, trades; null
-- where it did not move.
create unlogged table mover_token (
  token_id integer not null,
  dex smallint not null,
  mint text collate "C" not null,
  figures double precision[] not null,
  primary key (token_id, dex)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.5, autovacuum_vacuum_threshold = 5000);

-- Never in a table of their own: pages of 400 and 500 ids fit beside one another, three on one of the server's.
alter table trending_page alter column token_ids set storage plain;
alter table mover_page alter column token_ids set storage plain;
alter table trending_token alter column figures set storage main;
alter table mover_token alter column figures set storage main;
