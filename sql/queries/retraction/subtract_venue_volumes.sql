-- Takes retracted swaps from a lane's volumes of venues: sums of integers, so exact. $1 smallint: lane; pairwise:
-- $2 integer[] width, $3 bigint[] bucket_ms, $4 smallint[] dex, $5 bigint[] trade_count, $6 numeric[] volume_lamports.
-- Index: the primary key.
update venue_volume as stored
set
  trade_count = stored.trade_count - gone.trade_count,
  volume_lamports = stored.volume_lamports - gone.volume_lamports
from unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::numeric[])
  as gone (width, bucket_ms, dex, trade_count, volume_lamports)
where stored.width = gone.width and stored.bucket_ms = gone.bucket_ms and stored.dex = gone.dex
  and stored.lane = $1
