-- Closes the cursor of a table that was exported, and with it the files of its sort.
-- variant swaps: cursor = exported_swaps
-- variant candles: cursor = exported_candles
-- variant positions: cursor = exported_positions
-- variant lots: cursor = exported_lots
-- variant leaderboard: cursor = exported_leaderboard
close {cursor}
