-- Records that a key was used, at most once a minute for all processes.
-- $1 integer: id. Index: api_key_pkey.
update api_key set last_used_at = now()
where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')
