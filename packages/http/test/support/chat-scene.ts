import { request } from 'node:http'
import { join } from 'node:path'
import type { ControlPlaneParts, Environment } from '@svc/core'
import { FakeClock, FakeTimers } from '@svc/testing'
import type { Sent } from '../../../../test/support/exchange.ts'
import { type Mounted, mounted } from '../../../../test/support/mounted.ts'

const DOCS = join(import.meta.dirname, '../../../core/test/chat/site')

/** A served plane whose chat answers from three pages. */
export interface ServedChat extends Mounted {
  readonly timers: FakeTimers
  /** POST of a chat message, the answer read to its end. */
  say(body?: unknown, headers?: Sent['headers']): Promise<ReturnType<typeof eventsOf> & { status: number }>
}

/** Serves it; disposing stops it. */
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

/** A chat message as a request; a text goes as it is. */
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

/** The events of a whole answer, and its comments. */
export function eventsOf(text: string): { events: WireEvent[]; comments: string[]; said: string } {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  const events = frames
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)) as WireEvent)
  const said = events.map((event) => (event.type === 'delta' ? String(event.text) : '')).join('')
  return { events, said, comments: frames.filter((frame) => frame.startsWith(':')) }
}

/** An answer that is read as it comes. */
export interface OpenAnswer {
  readonly status: number
  /** Everything that has come so far. */
  text(): string
  /** Resolves when `part` has come. */
  until(part: string): Promise<void>
  /** Resolves when the service has ended the answer as it should; rejects when the connection broke. */
  readonly ended: Promise<void>
  /** Cuts the connection. */
  leave(): void
}

/** Sends a chat message and reads the answer as it comes. */
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
