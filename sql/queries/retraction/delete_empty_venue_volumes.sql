-- Deletes volumes of a lane that no trade is left in. $1 smallint: lane; pairwise: $2 integer[] width,
-- $3 bigint[] bucket_ms, $4 smallint[] dex. Index: the primary key.
delete from venue_volume as stored
using unnest($2::integer[], $3::bigint[], $4::smallint[]) as gone (width, bucket_ms, dex)
where stored.width = gone.width and stored.bucket_ms = gone.bucket_ms and stored.dex = gone.dex
  and stored.lane = $1 and stored.trade_count = 0
