-- Plans cursors of this transaction for their first rows: swaps stream by their index, and are not sorted whole on disk.
set local cursor_tuple_fraction = 0.1
