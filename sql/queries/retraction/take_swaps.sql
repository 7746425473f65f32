-- Moves the swaps of a slot in pools to the retracted ones, whose columns are those of `swap` in the same order.
-- $1 bigint: slot, $2 integer[]: pool ids. Index: swap_order.
with taken as (
  delete from swap
  where slot = $1 and pool_id = any ($2::integer[])
  returning *
)
insert into retracted_swap
select * from taken
