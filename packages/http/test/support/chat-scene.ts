import { request } from 'node:http'
import { join } from 'node:path'
import type { ControlPlaneParts, Environment } from '@svc/core'
import { FakeClock, FakeTimers } from '@svc/testing'
import type { Sent } from '../../../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'

const DOCS = join(import.meta.dirname, '../../../core/test/reach/chat/site')

/** A served plane whose chat answers from three pages. */
export interface ServedChat extends Mounted {
  readonly timers: FakeTimers
  /** Posts a chat message and reads the whole answer. */
  say(body?: unknown, headers?: Sent['headers']): Promise<ReturnType<typeof eventsOf> & { status: number }>
}

/** Serves such a plane; disposing it stops the server. */
export async function servedChat(
  env: Environment = {},
  parts: Pick<ControlPlaneParts, 'languageModel'> = {},
): Promise<ServedChat> {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  const served = await mounted(undefined, {
    clock,
    env: { SERVICE_PUBLIC_URL: 'https://svc.example', ...env },
    parts: { ...parts, timers, docsDir: DOCS },
  })
  return {
    ...served,
    timers,
    say: async (body = { message: 'How do I install the agent?' }, headers = {}) => {
      const answer = await served.send(chatPost(body, headers))
      return { status: answer.status, ...eventsOf(answer.text) }
    },
  }
}

/** A chat message as a request; a text is sent unchanged. */
export const chatPost = (body: unknown, headers: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  path: '/api/chat',
  body: typeof body === 'string' ? body : JSON.stringify(body),
  headers,
})

/** One event of the stream. */
export interface WireEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** The events, the comments and the joined text of a whole answer. */
export function eventsOf(text: string): { events: WireEvent[]; comments: string[]; said: string } {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  const events = frames
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as WireEvent)
  const said = events.map((event) => (event.type === 'delta' ? String(event.text) : '')).join('')
  return { events, said, comments: frames.filter((frame) => frame.startsWith(':')) }
}

/** An answer that is read as it arrives. */
export interface OpenAnswer {
  readonly status: number
  /** The text received so far. */
  text(): string
  /** Resolves when `part` has arrived. */
  until(part: string): Promise<void>
  /** Resolves when the service has completed the answer; rejects when the connection broke. */
  readonly ended: Promise<void>
  /** Cuts the connection. */
  leave(): void
}

/** Sends a chat message and reads the answer as it arrives. */
export function openChat(port: number, body: unknown): Promise<OpenAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<OpenAnswer>()
  const sent = request(
    { host: '127.0.0.1', port, method: 'POST', path: '/api/chat', agent: false },
    (answer) => {
      let text = ''
      let look = () => {}
      const { promise: ended, resolve: end, reject: broke } = Promise.withResolvers<void>()
      ended.catch(() => {})
      answer.on('error', broke).on('end', end)
      answer.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
        look()
      })
      resolve({
        status: answer.statusCode ?? 0,
        text: () => text,
        ended,
        until: (part) => {
          const { promise: seen, resolve: tell } = Promise.withResolvers<void>()
          look = () => {
            if (text.includes(part)) tell()
          }
          look()
          return seen
        },
        leave: () => sent.destroy(),
      })
    },
  )
  sent.once('error', reject)
  sent.end(JSON.stringify(body))
  return promise
}
