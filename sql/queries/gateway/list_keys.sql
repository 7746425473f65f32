-- Every key, oldest first, with its hint only.
select
  id,
  hint_first || '...' || hint_last as hint,
  environment,
  tier,
  account,
  created_at,
  grace_until,
  revoked_at,
  last_used_at
from api_key
order by id
