-- Stores sealed chunks of lots; a recomputed position seals its chunks again. Pairwise: $1 integer[] wallet_id, $2
-- integer[] token_id, $3 integer[] chunk, $4 bytea[] lots.
insert into lot_chunk (wallet_id, token_id, chunk, lots)
select * from unnest($1::integer[], $2::integer[], $3::integer[], $4::bytea[])
on conflict (wallet_id, token_id, chunk) do update set lots = excluded.lots
