-- $1 text: file name, $2 text: SHA-256 of its text.
insert into function_file (name, checksum) values ($1, $2)
on conflict (name) do update set checksum = excluded.checksum, applied_at = now()
