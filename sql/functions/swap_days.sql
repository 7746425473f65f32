-- Changes of the swaps of days. Triggers count them, whichever version of the worker commits, in the transaction of the swaps.

-- Each commit writes the runs of 100 slots that its swaps are in, and a retraction deletes those of its slot. No swap of a run is earlier than
-- its first time, and a change of a day is one of all later days as well: the day of that time is counted.
create or replace function count_swap_day() returns trigger language plpgsql as $$
begin
  insert into swap_day as stored (day_ms, part, change_count)
  values (least(old.first_ms, new.first_ms) / 86400000 * 86400000, coalesce(new.lane, old.lane), 1)
  on conflict (day_ms, part) do update set change_count = stored.change_count + 1;
  return null;
end
$$;

create or replace trigger slot_span_counts_written after insert or update on slot_span
for each row
when (new.width = 100)
execute function count_swap_day();

create or replace trigger slot_span_counts_deleted after delete on slot_span
for each row
when (old.width = 100)
execute function count_swap_day();

-- Swaps of a pool state other decimals than those before, which no mint of the chain does: values of all days count as changed.
create or replace function count_decimals_change() returns trigger language plpgsql as $$
begin
  insert into swap_day as stored (day_ms, part, change_count)
  values (0, -new.id, 1)
  on conflict (day_ms, part) do update set change_count = stored.change_count + 1;
  return null;
end
$$;

create or replace trigger pool_counts_decimals
after update of last_quote_decimals on pool
for each row
when (new.last_quote_decimals <> old.last_quote_decimals)
execute function count_decimals_change();
