-- Rankings as they roll, and what they need of holders.

-- When the wallet became a holder of the token and ceased to be one, in its last day: minutes since 1970,
-- negative where it ceased. Positions of before have none until `rebuild ledger`; their snapshots are of a
-- form that is no longer read.
alter table position add column held_changes integer[];
delete from position_snapshot;

-- Trending tokens of a window and a sector ('': any), in order, as far as they are served: a JSON array of
-- entries (domain/ranking.ts). `total`: how many there are. Unlogged: made again after a crash.
create unlogged table trending_page (
  window_minutes integer not null,
  has_rugged boolean not null,
  sector text collate "C" not null,
  total integer not null,
  entries text not null,
  primary key (window_minutes, has_rugged, sector)
) with (fillfactor = 50);

-- Top movers of a window on a venue (0: on all), both sides in order, likewise.
create unlogged table mover_page (
  window_minutes integer not null,
  dex smallint not null,
  gainers text not null,
  losers text not null,
  primary key (window_minutes, dex)
) with (fillfactor = 50);

-- Of which instant the pages are: the newest swap's time, and how far the feed was read. Pages that would
-- say the same are not written again.
create unlogged table ranking_roll (
  is_only boolean primary key default true check (is_only),
  newest_ms bigint not null,
  feed_sequence bigint not null,
  rolled_ms bigint not null
) with (fillfactor = 50);

alter table trending_page alter column entries set storage external;
alter table mover_page alter column gainers set storage external;
alter table mover_page alter column losers set storage external;
-- Written about every second: what is gone makes room for what comes.
alter table trending_page set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
);
alter table mover_page set (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 10000
);
