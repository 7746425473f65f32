-- Positions that wait to be folded again, and lanes that are still being counted.
select
  (select count(*) from position_refold) as refolds,
  (select count(*) from ledger_audit) as audits
