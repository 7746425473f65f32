-- Positions that wait for a recompute, and lanes under audit.
select
  (select count(*) from position_refold) as recomputes,
  (select count(*) from ledger_audit) as audits
