-- How many dead letters there are, and how many were not sent again.
select count(*) as total, count(*) filter (where retried_at is null) as waiting from dead_letter
