-- Webhooks: endpoints of users that events of FEED are sent to. Everything that a sender must know is here, so that
-- Redis may be lost: it holds requests to send alone.

-- An endpoint. `secret`: encrypted by AES-256-GCM under WEBHOOK_SECRET_KEY; `old_secret` signs as well until
-- `old_secret_until`. `epoch` and `sequence`: position in FEED up to which its deliveries are stored (epoch empty: it
-- begins at the end of FEED), `slot` the highest slot up to there. `stored` and `delivered` count its deliveries; the difference waits. `attempts`, `failing_since` and
-- `next_attempt_at` are those of the oldest delivery that waits. `paused_at` null: active.
create table webhook (
  id integer generated always as identity primary key,
  url text not null,
  channel text not null check (channel in ('swaps', 'pool_events')),
  filter text not null,
  int64 text not null check (int64 in ('number', 'string')),
  events_max integer not null check (events_max between 1 and 250),
  secret bytea not null,
  old_secret bytea,
  old_secret_until timestamptz,
  epoch text not null,
  sequence bigint not null,
  slot bigint not null default 0,
  stored bigint not null default 0,
  delivered bigint not null default 0,
  created_at timestamptz not null default now(),
  paused_at timestamptz,
  pause_reason text,
  attempts integer not null default 0,
  failing_since timestamptz,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  last_error_at timestamptz,
  last_delivery_id text,
  last_delivered_at timestamptz
) with (fillfactor = 50);

-- Deliveries that wait, numbered by endpoint without a hole; deleted when the endpoint has accepted them. `event_id`: the
-- cursor of FEED after its events.
create table webhook_delivery (
  webhook_id integer not null references webhook on delete cascade,
  number bigint not null,
  event_id text not null,
  body text not null,
  primary key (webhook_id, number)
);

alter table operator_audit drop constraint operator_audit_action_check;
alter table operator_audit add constraint operator_audit_action_check check (
  action in (
    'dead_letter_retried', 'kol_stored', 'kol_removed', 'sector_stored', 'replay_started', 'replay_stopped',
    'webhook_created', 'webhook_paused', 'webhook_resumed', 'webhook_rotated', 'webhook_deleted'
  )
);
