-- Rejected versions that are to be accepted, of all lanes, in the order in which they came. $1 bigint: id after which the list
-- continues, $2 integer: how many. Index: event_conflict_readmit.
select id, pair_address, kept_out
from event_conflict
where readmit_lane is not null and id > $1
order by id
limit $2
