-- Minutes of a pool of a dollar mint. $1 integer: pool id.
select bucket_ms, decimals, volume_lamports, volume_units
from dollar_minute
where pool_id = $1
order by bucket_ms, decimals
