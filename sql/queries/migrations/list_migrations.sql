-- Applied migrations with the checksum of their text.
select name, checksum from migration
