-- Deletes dead letters that were sent again so long ago, and dead letters of FEED, which are never sent again, of that
-- age.
-- $1 integer: days.
delete from dead_letter
where coalesce(retried_at, case when actor <> 'pool' then created_at end)
  < now() - $1::integer * interval '1 day'
