import { DATABASE_TLS } from '../database-tls.ts'
import { choice, text, url, wholeNumber } from '../setting.ts'
import { required } from '../setting-group.ts'

/** Settings of the database. */
export const database = required('Database', {
  url: url('DATABASE_URL', 'PostgreSQL; unset: the embedded database.', ['postgres', 'postgresql'], {
    secret: true,
  }),
  sessionUrl: url(
    'DATABASE_SESSION_URL',
    'The same database without a pooler that takes sessions away between transactions: for signals, locks and migrations; unset: `DATABASE_URL`.',
    ['postgres', 'postgresql'],
    { secret: true },
  ),
  password: text(
    'DATABASE_PASSWORD',
    'Password of the database, instead of one in `DATABASE_URL`. From a file it is read for each new connection.',
    { secret: true },
  ),
  tls: choice(
    'SERVICE_DATABASE_TLS',
    'With `require` a database on another machine needs `sslmode=verify-full`; else that is a warning in production.',
    DATABASE_TLS,
    'warn',
  ),
  pool: wholeNumber('SERVICE_DATABASE_POOL', 'Database connections at most.', {
    fallback: 10,
    min: 1,
    max: 1000,
  }),
})
