-- The first retraction that other lanes have left unfinished and that this lane has not applied in its present pools: one of
-- them has not applied it or has not read it, or their number has changed meanwhile. $1 smallint: lane, $2 smallint: number
-- of lanes. Reads the whole table: retractions are rare.
select slot, blockhash
from (select slot, blockhash, lane, is_applied, coalesce(lane_count, $2) as lane_count from retraction) as noted
group by slot, blockhash
having not bool_or(lane = $1 and lane_count = $2)
  and (not bool_and(is_applied) or count(*) < max(lane_count) or min(lane_count) < max(lane_count))
order by slot, blockhash
limit 1
