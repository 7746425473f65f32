-- Slots whose events a pool lane leaves out. $1 smallint: lane. Index: retraction_lane.
select distinct slot from retraction where lane = $1
