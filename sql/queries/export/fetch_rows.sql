-- The next rows of a table that is being exported; none at the end. A cursor each, because a prepared statement returns
-- the same columns whenever it runs.
-- variant swaps: cursor = exported_swaps
-- variant candles: cursor = exported_candles
-- variant positions: cursor = exported_positions
-- variant lots: cursor = exported_lots
-- variant leaderboard: cursor = exported_leaderboard
fetch forward 5000 from {cursor}
