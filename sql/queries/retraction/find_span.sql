-- First and last time of the narrower runs of slots within a wider one; null where there is none. $1 integer: narrower width,
-- $2 bigint: first slot, $3 bigint: end. Index: the primary key.
select min(first_ms) as first_ms, max(last_ms) as last_ms
from slot_span
where width = $1 and bucket >= $2 and bucket < $3
