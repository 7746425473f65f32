-- Takes retracted swaps from the volumes of venues: sums of integers, so exact. The rows of all lanes are merged into one, as
-- the swaps may have been another lane's. $1 smallint: lane of the merged row; pairwise: $2 integer[] width, $3 bigint[]
-- bucket_ms, $4 smallint[] dex, $5 bigint[] trade_count, $6 numeric[] volume_lamports. Index: the primary key.
with gone as (
  select *
  from unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::numeric[])
    as gone (width, bucket_ms, dex, trade_count, volume_lamports)
), taken as (
  delete from venue_volume as stored
  using gone
  where stored.width = gone.width and stored.bucket_ms = gone.bucket_ms and stored.dex = gone.dex
  returning stored.*
)
insert into venue_volume (width, bucket_ms, dex, lane, trade_count, volume_lamports)
select
  width, bucket_ms, dex, $1, sum(taken.trade_count) - gone.trade_count,
  sum(taken.volume_lamports) - gone.volume_lamports
from taken
join gone using (width, bucket_ms, dex)
group by width, bucket_ms, dex, gone.trade_count, gone.volume_lamports
having sum(taken.trade_count) > gone.trade_count
