-- The venues of the program's table; rows that are equal are not written. Pairwise: $1 smallint[] dex, $2 text[] name,
-- $3 boolean[] has_reserves, $4 bigint[] missing_lamports, $5 bigint[] missing_from_ms. Result: the venues written.
insert into venue
select * from unnest($1::smallint[], $2::text[], $3::boolean[], $4::bigint[], $5::bigint[])
on conflict (dex) do update set
  name = excluded.name, has_reserves = excluded.has_reserves,
  missing_lamports = excluded.missing_lamports, missing_from_ms = excluded.missing_from_ms
where (venue.name, venue.has_reserves, venue.missing_lamports, venue.missing_from_ms)
  is distinct from
  (excluded.name, excluded.has_reserves, excluded.missing_lamports, excluded.missing_from_ms)
returning name
