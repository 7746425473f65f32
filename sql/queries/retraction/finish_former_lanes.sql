-- Rows of a retraction by lanes that are no more count as applied when each present lane has a row. $1 bigint: slot, $2 text:
-- blockhash, $3 smallint: number of lanes. Index: retraction_pkey.
update retraction
set is_applied = true
where slot = $1 and blockhash = $2 and lane >= $3 and not is_applied
  and $3 = (
    select count(*) from retraction as present
    where present.slot = $1 and present.blockhash = $2 and present.lane < $3
      and coalesce(present.lane_count, $3) = $3
  )
