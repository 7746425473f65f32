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

-- The first day of charts that a retraction may reopen, Unix ms. Blocks of the newest swap's day and the two before it may be
-- retracted; two more days are for a block with swaps on both sides of midnight, and for lanes that apply a retraction
-- after the midnight that follows its acceptance.
create or replace function first_reopened_day_ms() returns bigint language plpgsql stable
as $$
begin
  return newest_swap_ms() / 86400000 * 86400000 - 4 * 86400000::bigint;
end
$$;

-- A closed day of a chart is written once; what it is by the present swaps, alongside it, is not served as the day's value. After a
-- retraction it may be deleted, to be computed again.
create or replace function refuse_change_of_closed_day() returns trigger language plpgsql as $$
begin
  raise exception 'chart_day holds closed days: they are never changed';
end
$$;

create or replace function refuse_deletion_of_closed_day() returns trigger language plpgsql as $$
begin
  if old.day_ms < first_reopened_day_ms() then
    raise exception 'chart_day holds closed days: they are never changed';
  end if;
  return old;
end
$$;

create or replace trigger chart_day_closed before update of wallet_id, day_ms, value_sol or truncate on chart_day
  for each statement execute function refuse_change_of_closed_day();

create or replace trigger chart_day_closed_deletion before delete on chart_day
  for each row execute function refuse_deletion_of_closed_day();
