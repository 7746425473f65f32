-- The first swaps of tokens. Pairwise: $1 integer[] token_id, $2 bigint[] Unix ms. Index: the primary key.
insert into token_start as stored (token_id, first_ms)
select * from unnest($1::integer[], $2::bigint[])
on conflict (token_id) do update set first_ms = excluded.first_ms
where stored.first_ms > excluded.first_ms
