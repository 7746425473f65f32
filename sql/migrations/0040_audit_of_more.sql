-- What else operators do: sectors of tokens, replays.

alter table operator_audit drop constraint operator_audit_action_check;

alter table operator_audit add constraint operator_audit_action_check check (
  action in (
    'dead_letter_retried', 'kol_stored', 'kol_removed', 'sector_stored', 'replay_started', 'replay_stopped'
  )
);
