-- Dead letters that were brought in again so long ago, and of FEED, which wait for nobody, those that are so old.
-- $1 integer: days.
delete from dead_letter
where coalesce(retried_at, case when actor <> 'pool' then created_at end)
  < now() - $1::integer * interval '1 day'
