-- Makes commits of a pool's swaps wait, until the transaction ends. $1 integer: pool id.
select id from pool where id = $1 for update
