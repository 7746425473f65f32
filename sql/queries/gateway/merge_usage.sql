-- Adds to the counts of requests by month. $1 uuid[]: lineages, $2 date[]: first days of the months,
-- $3 bigint[]: requests; each lineage and month once. Index: api_usage_pkey.
insert into api_usage (lineage, month, requests)
select * from unnest($1::uuid[], $2::date[], $3::bigint[])
on conflict (lineage, month) do update set requests = api_usage.requests + excluded.requests
