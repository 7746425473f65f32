-- What operators do besides keys: only added to, like the audit of keys.

create table operator_audit (
  id bigint generated always as identity primary key,
  action text not null check (action in ('dead_letter_retried', 'kol_stored', 'kol_removed')),
  target text not null,
  actor text not null,
  at timestamptz not null default now()
);

create function refuse_operator_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'operator_audit is only added to';
end
$$;

create trigger operator_audit_is_append_only
before update or delete or truncate on operator_audit
for each statement execute function refuse_operator_audit_change();
