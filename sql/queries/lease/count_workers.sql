-- How many live worker processes run each actor. $1 integer: milliseconds after which one is gone. Whoever was
-- seen over a minute from now was seen before the clock was set back.
select unnest(actors) as actor, count(*)::integer as workers
from worker
where seen_at > clock_timestamp() - $1::integer * interval '1 millisecond'
  and seen_at < clock_timestamp() + interval '1 minute'
group by 1
