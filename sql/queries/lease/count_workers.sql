-- How many live worker processes run each actor. $1 integer: milliseconds after which a silent one counts as dead. A
-- heartbeat over a minute in the future was written before the clock was set back.
select unnest(actors) as actor, count(*)::integer as workers
from worker
where seen_at > clock_timestamp() - $1::integer * interval '1 millisecond'
  and seen_at < clock_timestamp() + interval '1 minute'
group by 1
