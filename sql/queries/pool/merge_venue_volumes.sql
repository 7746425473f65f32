-- Adds what venues traded to what is stored. $1 smallint: lane; pairwise, in the order of the key:
-- $2 integer[] width, $3 bigint[] bucket_ms, $4 smallint[] dex, $5 bigint[] trade_count,
-- $6 numeric[] volume_lamports. Index: venue_volume_pkey.
insert into venue_volume as stored (width, bucket_ms, dex, lane, trade_count, volume_lamports)
select added.width, added.bucket_ms, added.dex, $1, added.trade_count, added.volume_lamports
from unnest($2::integer[], $3::bigint[], $4::smallint[], $5::bigint[], $6::numeric[])
  as added (width, bucket_ms, dex, trade_count, volume_lamports)
on conflict (width, bucket_ms, dex, lane) do update set
  trade_count = stored.trade_count + excluded.trade_count,
  volume_lamports = stored.volume_lamports + excluded.volume_lamports
