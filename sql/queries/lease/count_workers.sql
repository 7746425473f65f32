-- How many live worker processes run each actor. $1 integer: milliseconds after which one is gone.
select unnest(actors) as actor, count(*)::integer as workers
from worker
where seen_at > clock_timestamp() - $1::integer * interval '1 millisecond'
group by 1
