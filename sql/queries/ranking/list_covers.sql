-- Watermarks of the recounts of tokens. Reads the whole of a small table.
select from_token_id, to_token_id, pool_lane, commit_number from ranking_cover
