-- A page of wallets in the order of their ids. $1 integer: first id, $2 integer: how many.
select id, address from wallet where id >= $1 order by id limit $2
