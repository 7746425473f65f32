-- Replaces the figures of stored movers. Index: the primary key.
insert into mover_token
select * from mover_token_stage
on conflict (token_id, dex) do update set
  window_minutes = excluded.window_minutes, figures = excluded.figures
