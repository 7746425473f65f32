-- The {place} run of 10,000 slots in which a venue may have traded: at the time of its swaps there is volume of
-- the venue. No row: these slots hold no swap of it.
-- $1 smallint: venue, $2 bigint, $3 bigint: first and last slot to look at.
-- Index: slot_span_pkey, venue_volume_pkey. A bucket is the first slot of its run.
-- variant asc: place = first; order = asc
-- variant desc: place = last; order = desc
select bucket as low_slot, bucket + least(9999, 9007199254740991 - bucket) as high_slot
from slot_span
where width = 10000
  and bucket between $2::bigint - 9999 and $3
  and exists (
    select
    from venue_volume as traded
    where traded.width = 900000
      and traded.bucket_ms between slot_span.first_ms / 900000 * 900000 and slot_span.last_ms
      and traded.dex = $1
  )
order by bucket {order}
limit 1
