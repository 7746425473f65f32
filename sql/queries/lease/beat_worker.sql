-- Heartbeat of a worker process. $1 text: worker id, $2 text[]: the actors that it runs.
insert into worker (id, actors, seen_at)
values ($1, $2::text[], clock_timestamp())
on conflict (id) do update set actors = excluded.actors, seen_at = excluded.seen_at
