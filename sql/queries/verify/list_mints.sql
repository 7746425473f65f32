-- Names of all mints.
select id, address from token
