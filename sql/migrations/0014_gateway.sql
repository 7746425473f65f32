-- The gateway: what was asked in a month, which processes of the API live, an audit that is only added
-- to, and word of every change of a key to whoever listens.

create table api_usage (
  lineage uuid not null,
  month date not null,
  requests bigint not null,
  primary key (lineage, month)
);

-- Unlogged: after a crash of the server the living say again that they live.
create unlogged table api_instance (
  id uuid primary key,
  seen_at timestamptz not null
);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'api_key_audit is only added to';
end
$$;

create trigger api_key_audit_is_append_only
before update or delete or truncate on api_key_audit
for each statement execute function refuse_audit_change();

-- The hash is no secret: it stands in this database, and a key cannot be made from it.
create function tell_key_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('api_key', new.id || ' ' || encode(new.key_hash, 'hex'));
  return null;
end
$$;

-- That a key was used changes nothing about it.
create trigger api_key_tells_changes
after insert or update of key_hash, tier, account, lineage, grace_until, revoked_at on api_key
for each row execute function tell_key_change();
