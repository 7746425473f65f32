-- Replaces the figures of stored trending tokens. Index: the primary key.
insert into trending_token
select * from trending_token_stage
on conflict (token_id) do update set
  window_minutes = excluded.window_minutes, changes = excluded.changes, figures = excluded.figures
