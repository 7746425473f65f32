-- Notices of changes that come without a swap: of API keys to the processes of the API, and of tokens to the ranking
-- actor (table token_change).

-- Payload of channel api_key: id and hash of the key. The hash is no secret: a key cannot be derived from it.
create or replace function tell_key_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key', new.id || ' ' || encode(new.key_hash, 'hex'));
  return null;
end
$$;

-- Use of a key (last_used_at) is not a change.
create or replace trigger api_key_tells_changes
after insert or update of key_hash, tier, account, lineage, grace_until, revoked_at on api_key
for each row execute function tell_key_change();

-- Rankings hold the sector and the creator of a token, and do not read a token without trades.
create or replace function note_token_change() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id) values (new.id);
  return null;
end
$$;

create or replace trigger token_tells_changes
after update of sector, creator on token
for each row
when (
  old.sector is distinct from new.sector or old.creator is distinct from new.creator
)
execute function note_token_change();

-- The creator of a token without a creator in its token line is that of its first `created` event.
create or replace function note_pool_creator() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id) select pool.token_id from pool where pool.id = new.pool_id;
  return null;
end
$$;

create or replace trigger pool_event_tells_creator
after insert on pool_event
for each row
when (new.event = 'created')
execute function note_pool_creator();

-- The first pool of a mint, and with it the creator, may be another one: a pool alongside others of the mint began to
-- trade, or is now known to have traded earlier.
create or replace function note_first_slot() returns trigger language plpgsql as $$
begin
  insert into token_change (token_id)
  select new.token_id
  where exists (select from pool where pool.token_id = new.token_id and pool.id <> new.id);
  return null;
end
$$;

create or replace trigger pool_tells_first_slot
after update of first_slot on pool
for each row
when (new.first_slot is distinct from old.first_slot)
execute function note_first_slot();
