-- Stores the version by which the search keys were computed. $1 text: version. Index: search_key_version_pkey.
insert into search_key_version (version) values ($1)
on conflict (is_only) do update set version = excluded.version
