-- The checkpoint rows of an actor's lanes. $1 text: actor, $2 integer: lane count.
insert into checkpoint (actor, lane)
select $1, generate_series(0, $2::integer - 1)
on conflict (actor, lane) do nothing
