import type { Mounted } from '../../../../test/support/mounted.ts'

/** An event stream that a page has open. */
export interface Followed {
  readonly status: number
  readonly headers: Headers
  /** The body of a refusal. */
  readonly text: string
  /** The number of events so far. */
  readonly events: () => number
  /** Resolves with the milliseconds until there are so many events. */
  until(events: number, mostMs?: number): Promise<number>
  /** Resolves with the milliseconds until the service ends the stream. */
  ended(mostMs?: number): Promise<number>
  /** Leaves, as a page that is closed or hidden. */
  leave(): void
}

const PATIENCE_MS = 5000
const LOOK_MS = 2

/** Opens the event stream of what a page shows: `jobs`, `job:ID`. */
export async function followed(
  { port }: Pick<Mounted, 'port'>,
  cookie: string | undefined,
  ...shows: readonly string[]
): Promise<Followed> {
  const leaving = new AbortController()
  const query = new URLSearchParams(shows.map((each): [string, string] => ['show', each]))
  const answer = await fetch(`http://127.0.0.1:${port}/console/live?${query}`, {
    headers: { accept: 'text/event-stream', ...(cookie !== undefined && { cookie }) },
    redirect: 'manual',
    signal: leaving.signal,
  })
  const seen = { events: 0, isOver: false }
  const collect = async () => {
    for await (const chunk of answer.body ?? [])
      seen.events += Buffer.from(chunk).toString('utf8').split('data: {"changed":true}').length - 1
  }
  const isStream = answer.status === 200
  if (isStream)
    void collect()
      .catch(() => {})
      .finally(() => {
        seen.isOver = true
      })
  const waited = async (isDone: () => boolean, mostMs: number, what: string) => {
    const start = performance.now()
    while (!isDone()) {
      if (performance.now() - start > mostMs) throw new Error(`not within ${mostMs} ms: ${what}`)
      await new Promise((done) => setTimeout(done, LOOK_MS))
    }
    return performance.now() - start
  }
  return {
    status: answer.status,
    headers: answer.headers,
    text: isStream ? '' : await answer.text(),
    events: () => seen.events,
    until: (events, mostMs = PATIENCE_MS) =>
      waited(() => seen.events >= events, mostMs, `${events} events, after ${seen.events}`),
    ended: (mostMs = PATIENCE_MS) => waited(() => seen.isOver, mostMs, 'the end of the stream'),
    leave: () => leaving.abort(),
  }
}
