-- Applied function files with the checksum of their text.
select name, checksum from function_file
