-- Minutes of a pool of a dollar mint. $1 integer: pool id.
delete from dollar_minute where pool_id = $1
