-- Starts a recount of all tokens, from the first on.
insert into ranking_recount (next_token_id) values (0)
on conflict (is_only) do update set next_token_id = 0
