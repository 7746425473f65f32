-- The first retraction that a pool lane has not applied. $1 smallint: lane. Index: retraction_lane.
select slot, blockhash from retraction
where lane = $1 and not is_applied
order by slot, blockhash
limit 1
