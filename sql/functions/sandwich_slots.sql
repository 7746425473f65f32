-- Slots whose pools are to be searched for sandwiches: those of the rows that each commit of a pool lane publishes, late swaps, pool
-- events and retractions included. A trigger notes them whichever version of the worker commits, and notifies where no note waits:
-- a job that has found notes looks again.

create or replace function note_sandwich_slots() returns trigger language plpgsql as $$
begin
  if not exists (select from sandwich_due) then
    perform pg_notify('sandwich_due', '');
  end if;
  insert into sandwich_due (first_slot, last_slot)
  select run.first_slot, run.last_slot
  from unnest(new.first_slots, new.last_slots) as run (first_slot, last_slot);
  return null;
end
$$;

create or replace trigger checkpoint_notes_sandwich_slots
after update of commit_number on checkpoint
for each row
when (new.actor = 'pool' and new.commit_number <> old.commit_number and new.first_slots <> '{}')
execute function note_sandwich_slots();
