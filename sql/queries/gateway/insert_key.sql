-- Stores a key with its line in the audit.
-- $1 bytea: SHA-256, $2 text, $3 text: first and last characters, $4 text: environment,
-- $5 text: tier, $6 text: account, $7 uuid: lineage, $8 text: operator. Result: id.
with added as (
  insert into api_key (key_hash, hint_first, hint_last, environment, tier, account, lineage)
  values ($1, $2, $3, $4, $5, $6, $7)
  returning id
), audited as (
  insert into api_key_audit (key_id, action, actor)
  select id, 'created', $8 from added
)
select id from added
