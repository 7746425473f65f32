-- What the market did by venue, and the indexes that search and the list of pairs read.

-- Trades and SOL of each venue by the minute (width 60000) and by the quarter (900000), per lane, so that
-- lanes never wait for each other's rows: a day is 96 quarters and the minutes of its edge.
create table venue_volume (
  width integer not null,
  bucket_ms bigint not null,
  dex smallint not null,
  lane smallint not null,
  trade_count bigint not null,
  volume_lamports numeric not null,
  primary key (width, bucket_ms, dex, lane)
) with (fillfactor = 60);

insert into venue_volume (width, bucket_ms, dex, lane, trade_count, volume_lamports)
select width, timestamp_ms / width * width, dex, 0, count(*), sum(sol_amount)
from swap
cross join unnest(array[60000, 900000]) as width
group by 1, 2, 3;

-- `dex` of a pool changes as good as never, so that this index costs its updates nothing.
create index pool_dex on pool (dex, id);

-- A text as search compares it: whatever its case, by code points.
create function search_key(given text) returns text
  language sql immutable strict parallel safe
  return lower(given collate "pg_c_utf8") collate "C";

create index token_symbol on token (search_key(symbol), id);
create index token_name on token (search_key(name), id);
