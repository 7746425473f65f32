-- Claims a lane of an actor without an owner, raising its epoch: a commit of the former owner fails.
-- $1 text: worker id, $2 integer: lease in milliseconds, $3 text: actor, $4 integer: its lane count: rows beyond it are
-- of streams that were recreated with fewer lanes. A lease that runs for over a minute is of a clock that was set back
-- since. Result: the lane, or no row.
update checkpoint
set
  owner = $1,
  epoch = checkpoint.epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
from (
  select actor, lane
  from checkpoint
  where actor = $3 and lane < $4
    and (
      owner is null
      or leased_until not between clock_timestamp() and clock_timestamp() + interval '1 minute'
    )
  order by lane
  limit 1
  for update skip locked
) as free
where checkpoint.actor = free.actor and checkpoint.lane = free.lane
returning checkpoint.lane, checkpoint.epoch
