-- Retractions that a pool lane is to apply. Pairwise: $1 bigint[] slot, $2 text[] blockhash ('': not given); $3 smallint
-- lane, $4 smallint: number of lanes. Index: the primary key.
insert into retraction (slot, blockhash, lane, lane_count)
select told.slot, told.blockhash, $3, $4
from unnest($1::bigint[], $2::text[]) as told (slot, blockhash)
on conflict (slot, blockhash, lane) do nothing
