-- $1 text: file name, $2 text: SHA-256 of its text.
insert into migration (name, checksum) values ($1, $2)
