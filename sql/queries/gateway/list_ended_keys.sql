-- Which of these keys are no longer good. $1 integer[]: ids. Index: api_key_pkey.
select id from api_key
where id = any($1::integer[]) and (revoked_at is not null or grace_until <= now())
