-- Tables that are only ever added to: a trigger refuses every update, delete and truncate.

create or replace function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'api_key_audit is only added to';
end
$$;

create or replace trigger api_key_audit_is_append_only
before update or delete or truncate on api_key_audit
for each statement execute function refuse_audit_change();

create or replace function refuse_operator_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'operator_audit is only added to';
end
$$;

create or replace trigger operator_audit_is_append_only
before update or delete or truncate on operator_audit
for each statement execute function refuse_operator_audit_change();

-- A closed day of a chart is written once. After a retraction the newest day of a swap and the two before it may be
-- deleted, to be computed again.
create or replace function refuse_change_of_closed_day() returns trigger language plpgsql as $$
begin
  raise exception 'chart_day holds closed days: they are never changed';
end
$$;

create or replace function refuse_deletion_of_closed_day() returns trigger language plpgsql as $$
begin
  if old.day_ms < newest_swap_ms() / 86400000 * 86400000 - 172800000 then
    raise exception 'chart_day holds closed days: they are never changed';
  end if;
  return old;
end
$$;

create or replace trigger chart_day_closed before update or truncate on chart_day
  for each statement execute function refuse_change_of_closed_day();

create or replace trigger chart_day_closed_deletion before delete on chart_day
  for each row execute function refuse_deletion_of_closed_day();
