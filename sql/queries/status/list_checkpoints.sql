-- How far each actor has read in each lane, and the lane's present owner.
-- Result: actor text, lane smallint, owner text (null: none), stream_epoch text, sequence bigint, committed_at
-- timestamptz, age_ms double precision (both null before the first commit).
-- Reads the whole of a small table.
select
  actor,
  lane,
  case when leased_until > now() then owner end as owner,
  stream_epoch,
  sequence,
  committed_at,
  extract(epoch from clock_timestamp() - committed_at)::double precision * 1000 as age_ms
from checkpoint
order by actor, lane
