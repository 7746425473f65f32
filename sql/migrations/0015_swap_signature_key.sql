-- What is stored refuses to be stored again: of a signature in a pair there is one row 0, so that a
-- batch that holds anything known fails by itself, and nobody has to look before (workers/pool/look-up.ts).
-- `copy` counts rows on where several are right: another place told by another decoder, a signature of
-- the same hash.
alter table swap_signature add column copy integer not null default 0;

update swap_signature
set copy = numbered.copy
from (
  select
    ctid as place,
    row_number() over (
      partition by signature_hash, pair_hash order by slot, block_tx_index
    ) - 1 as copy
  from swap_signature
) as numbered
where swap_signature.ctid = numbered.place and numbered.copy > 0;

-- Finds a signature, too, in one probe.
create unique index swap_signature_key on swap_signature (signature_hash, pair_hash, copy);
drop index swap_signature_hash;
