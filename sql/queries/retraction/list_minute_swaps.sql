-- The stored swaps of minutes of pools. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms, $3 $4 bigint[]: first and
-- last slot of the minute's swaps; $5 $6 bigint: least and greatest of these, which exclude all other chunks. Index:
-- swap_pool.
select
  {+stored_swap_columns}
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[])
  as wanted (pool_id, bucket_ms, first_slot, last_slot)
join swap on swap.pool_id = wanted.pool_id
  and swap.slot >= wanted.first_slot and swap.slot <= wanted.last_slot
  and swap.timestamp_ms >= wanted.bucket_ms and swap.timestamp_ms < wanted.bucket_ms + 60000
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.slot between $5::bigint and $6::bigint
