-- How far each actor has read in each lane: its checkpoint. Reads the whole of a small table.
select
  actor, lane, stream_epoch, sequence,
  floor(extract(epoch from committed_at) * 1000)::bigint as committed_ms
from checkpoint
order by actor, lane
