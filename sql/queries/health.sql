-- name: health/list_migrations
-- Names of the migrations that were applied.
select name from migration
