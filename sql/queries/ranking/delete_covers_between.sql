-- Deletes the watermarks of pages that begin from $1 to before $2, integers. Index: the primary key.
delete from ranking_cover where from_token_id >= $1 and from_token_id < $2
