-- Moves the pool events of a block in pools to the retracted ones, whose columns are those of `pool_event` in the same
-- order. $1 bigint: slot, $2 integer[]: pool ids, $3 text: blockhash, '' for every block of the slot. Index: pool_event_order.
with taken as (
  delete from pool_event
  where slot = $1 and pool_id = any ($2::integer[])
    and ($3 = '' or coalesce(blockhash, $3) = $3)
  returning *
)
insert into retracted_pool_event
select * from taken
