import type { PGlite } from '@electric-sql/pglite'

/** Severities after which PostgreSQL ends its process, since its memory may be corrupt. */
const LAST_WORDS = new Set(['PANIC', 'FATAL'])

/** PostgreSQL's own code for "another process crashed": callers may try again later. */
const CRASHED = '57P02'

/**
 * Lets no statement into a database that has given up. The returned signal is aborted then, with PostgreSQL's
 * error as its reason. PostgreSQL panics if a full disk does not let it extend its log. PGlite (0.5.8)
 * survives a panic with its locks held, so that the next statement would spin for ever and block the process.
 * Committed data is in the log: it is there when the folder is opened again, as after a kill.
 */
export function stopAtPanic(pglite: PGlite): AbortSignal {
  const lost = new AbortController()
  const watched =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await run(...args)
      } catch (error) {
        if (LAST_WORDS.has(String((error as { severity?: unknown }).severity))) lost.abort(error)
        throw error
      }
    }
  pglite.execProtocol = watched(pglite.execProtocol.bind(pglite))
  pglite.execProtocolStream = watched(pglite.execProtocolStream.bind(pglite))
  const [run, close] = [pglite.execProtocolRawSync.bind(pglite), pglite.close.bind(pglite)]
  pglite.execProtocolRawSync = (message) => {
    if (lost.signal.aborted) throw crashed(lost.signal.reason)
    return run(message)
  }
  // Closing writes a checkpoint.
  pglite.close = async () => {
    if (!lost.signal.aborted) await close()
  }
  return lost.signal
}

const crashed = (cause: unknown) =>
  Object.assign(new Error('the embedded database has given up', { cause }), { code: CRASHED })
