-- Stores rejected events, pairwise; a version that is listed already is not listed again.
-- $1 text[] kind, $2 text[] event, $3 text[] signature, $4 text[] pair_address, $5 text[] wallet,
-- $6 bigint[] stored_slot, $7 bigint[] kept_out_slot, $8 text[] stored, $9 text[] kept_out.
-- Index: event_conflict_version.
insert into event_conflict (
  kind, event, signature, pair_address, wallet, stored_slot, kept_out_slot, stored, kept_out
)
select *
from unnest(
  $1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::text[],
  $9::text[]
)
on conflict (signature, md5(kept_out)) do nothing
