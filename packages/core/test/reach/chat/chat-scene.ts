import { join } from 'node:path'
import type { ContentPages, ControlPlane, Environment, LanguageModel, Storage } from '@svc/core'
import type { ChatEvent, IncomingMessage } from '@svc/core/ports'
import { FakeClock, FakeTimers, testPlane } from '@svc/testing'

/** The folder of three pages of documents. */
export const SITE = join(import.meta.dirname, 'site')

/** Parts that a test of the chat may supply. */
export interface SceneParts {
  readonly model?: LanguageModel
  readonly env?: Environment
  readonly storage?: Storage
  readonly docsDir?: string
  readonly docsPages?: ContentPages
}

/** Makes a plane on a fake clock whose chat answers from three pages. */
export function chatScene({ model, env = {}, storage, docsDir = SITE, docsPages }: SceneParts = {}) {
  const clock = new FakeClock()
  const timers = new FakeTimers(clock)
  const test = testPlane({
    clock,
    env: { SERVICE_PUBLIC_URL: 'https://svc.example', ...env },
    ...(storage === undefined ? {} : { storage }),
    parts: { docsDir, docsPages, timers, ...(model === undefined ? {} : { languageModel: model }) },
  })
  return { ...test, timers }
}

const NOTHING = {
  conversationId: undefined,
  sessionId: 's1',
  message: 'How do I install the agent?',
  category: undefined,
  contact: undefined,
}

/** Begins the answer to a message. */
export async function begin(
  plane: ControlPlane,
  fields: Partial<IncomingMessage> = {},
  signal?: AbortSignal,
) {
  const stay = signal ?? new AbortController().signal
  const events = await plane.chat.converse({ ...NOTHING, ...fields }, stay)
  if (events === undefined) throw new Error('the message was empty')
  return events
}

/** Returns all events of the answer to a message. */
export async function ask(plane: ControlPlane, fields: Partial<IncomingMessage> = {}): Promise<ChatEvent[]> {
  const events: ChatEvent[] = []
  for await (const event of await begin(plane, fields)) events.push(event)
  return events
}

/** Returns the text of an answer's deltas. */
export const textOf = (events: readonly ChatEvent[]): string =>
  events.map((event) => (event.type === 'delta' ? event.text : '')).join('')

/** Returns the id of the conversation that an answer belongs to. */
export function conversationOf(events: readonly ChatEvent[]): string {
  const [meta] = events
  if (meta?.type !== 'meta') throw new Error('an answer begins with meta')
  return meta.conversationId
}
