-- Plans cursors of this transaction for reading all of their rows, not for the first of them.
set local cursor_tuple_fraction = 1
