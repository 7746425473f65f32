-- Adds priced trades of dollar mints. Pairwise: $1 bigint[] bucket_ms, $2 integer[] pool_id,
-- $3 smallint[] decimals, $4 numeric[] lamports, $5 numeric[] token base units.
insert into dollar_minute as minute (
  bucket_ms, pool_id, decimals, volume_lamports, volume_units
)
select *
from unnest($1::bigint[], $2::integer[], $3::smallint[], $4::numeric[], $5::numeric[])
on conflict (bucket_ms, pool_id, decimals) do update set
  volume_lamports = minute.volume_lamports + excluded.volume_lamports,
  volume_units = minute.volume_units + excluded.volume_units
