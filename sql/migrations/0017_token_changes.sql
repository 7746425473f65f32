-- Word of a token whose sector or creator is another: rankings hold both, and a token that nobody trades
-- is not looked at otherwise. The ranking takes rows away with the pages that it has them in. One is added
-- and none changed, so nobody waits for another.
create table token_change (
  id bigint generated always as identity primary key,
  token_id integer not null
);

create function note_token_change() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id) values (new.id);
  return null;
end
$$;

create trigger token_tells_changes
after update of sector, creator on token
for each row
when (
  old.sector is distinct from new.sector or old.creator is distinct from new.creator
)
execute function note_token_change();

-- Without a token line, the creator is that of the first `created` event.
create function note_pool_creator() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id) select pool.token_id from pool where pool.id = new.pool_id;
  return null;
end
$$;

create trigger pool_event_tells_creator
after insert on pool_event
for each row
when (new.event = 'created')
execute function note_pool_creator();
