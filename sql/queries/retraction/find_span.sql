-- First and last time of a lane's narrower runs of slots within a wider one; null where there is none.
-- $1 smallint: lane, $2 integer: narrower width, $3 bigint: first slot, $4 bigint: end. Index: the primary key.
select min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
where lane = $1 and width = $2 and bucket >= $3 and bucket < $4
