/** A connection or a pool of connections: anything that executes a statement. */

import type pg from 'pg'

export type Queryable = pg.Pool | pg.ClientBase
