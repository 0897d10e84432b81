import type { OperationName, OperationTypes } from '@svc/core/api'
import { ClientError, noAnswer, refusal, unreadable } from './client-error.ts'
import { eventTexts } from './events.ts'
import { READING_OPERATIONS } from './reading-operations.ts'
import { pause, waitBefore } from './retries.ts'

/** Options of a client. */
export interface ClientOptions {
  /** The address of the control plane, with its prefix if it is mounted under one. */
  readonly url: string
  /** An API token. Without one a browser sends the session of a page of the same origin. */
  readonly token?: string
  /** Sends the requests; `fetch` of the platform by default. */
  readonly fetch?: typeof fetch
  /** How often a call is made again at most, 0 to 10; 2 by default. */
  readonly retries?: number
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits to be made again; it rejects with the reason of the signal then. */
  readonly signal?: AbortSignal
}

type Input<Name extends OperationName> = OperationTypes[Name]['input']
type Answer<Name extends OperationName> = OperationTypes[Name]['answer']

/** Operations that answer page by page. */
export type PagedName = {
  [Name in OperationName]: 'next_cursor' extends keyof Answer<Name> ? Name : never
}[OperationName]

/** A visitor's message to the support chat. */
export interface ChatInput {
  readonly message: string
  /** The conversation to go on with; a first message begins one. */
  readonly conversationId?: string
  readonly sessionId?: string
  readonly category?: string
  readonly contact?: string
}

/** An event of the answer of the support chat: one `meta`, any number of `delta`, one `done`. */
export type ChatEvent =
  | {
      readonly type: 'meta'
      readonly conversationId: string
      readonly grounded: boolean
      readonly mode: string
    }
  | { readonly type: 'delta'; readonly text: string }
  | {
      readonly type: 'done'
      readonly engine: string
      readonly sources: readonly { readonly title: string; readonly url: string }[]
      readonly messageId?: string
      readonly truncated?: true
    }

const MAX_RETRIES = 10
const TOKEN = /^[\x21-\x7e]{1,512}$/

/** Returns the address without a slash at its end. @throws TypeError */
function checkedBase(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new TypeError('url: expected an http or https address, such as https://svc.example')
  if (parsed.username !== '' || parsed.password !== '')
    throw new TypeError('url: expected no name and no password in it; give an API token as token')
  return `${parsed.origin}${parsed.pathname.replace(/\/$/, '')}`
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Runs operations of a control plane, over HTTP. It keeps no connection of its own, and needs no end. */
export class Client {
  readonly #base: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #fetch: typeof fetch
  readonly #retries: number

  /** @throws TypeError for an option that is none; its message never holds the token */
  constructor({ url, token, fetch: send, retries = 2 }: ClientOptions) {
    if (token !== undefined && !TOKEN.test(token))
      throw new TypeError('token: expected an API token alone, without spaces or line ends')
    if (!Number.isInteger(retries) || retries < 0 || retries > MAX_RETRIES)
      throw new TypeError(`retries: expected a whole number from 0 to ${MAX_RETRIES}`)
    this.#base = checkedBase(url)
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    // A browser's own fetch is called as a function of the window.
    this.#fetch = send ?? ((...request) => globalThis.fetch(...request))
    this.#retries = retries
  }

  /**
   * Runs an operation and returns its answer.
   * @throws ClientError
   */
  async run<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
    { signal }: CallOptions = {},
  ): Promise<Answer<Name>> {
    // An operation of a newer service is unknown here, and may change something.
    const isRead = READING_OPERATIONS.has(name)
    const body = JSON.stringify(input)
    for (let tried = 0; ; tried += 1) {
      try {
        return await this.#once(name, body, isRead, signal)
      } catch (error) {
        const wait = tried < this.#retries ? waitBefore(error, isRead, tried) : undefined
        if (wait === undefined) throw error
        await pause(wait, signal)
      }
    }
  }

  /**
   * Runs an operation page by page. Each page is asked for when the one before was used; after a failure,
   * `next_cursor` of the last page is the `cursor` to go on from.
   * @throws ClientError
   */
  async *pages<Name extends PagedName>(
    name: Name,
    input: Input<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<Answer<Name>, void, undefined> {
    let { cursor } = input as { readonly cursor?: string | undefined }
    for (;;) {
      const page = await this.run(name, { ...input, cursor }, options)
      yield page
      const { next_cursor: next } = page as { readonly next_cursor?: string }
      if (next === undefined) return
      if (next === cursor) {
        const message = `${name}: the next page is this page once more; tell the operator of the service`
        throw new ClientError(message, { status: 200, code: 'unreadable-answer' })
      }
      cursor = next
    }
  }

  /**
   * Says something in the support chat and returns the answer as it is written. It needs no credential and
   * is never sent twice. The signal, or leaving the loop, ends the answer.
   * @throws ClientError, also for an answer that breaks off before `done`
   */
  async *chat(input: ChatInput, { signal }: CallOptions = {}): AsyncGenerator<ChatEvent, void, undefined> {
    const called = 'chat.say'
    const said = JSON.stringify(input)
    const answer = await this.#connected(called, false, signal, () =>
      this.#post('/api/chat', said, {}, signal),
    )
    if (!answer.ok || answer.body === null) throw await this.#failure(called, false, answer, signal)
    const texts = eventTexts(answer.body)
    try {
      for (;;) {
        const { done, value } = await this.#connected(called, false, signal, () => texts.next())
        if (done) throw noAnswer(called, this.#base, false, new Error('the stream ended early'))
        const event = parsed(value)
        if (!isRecord(event)) throw unreadable(called, answer, 'has an event that is no JSON object')
        yield event as ChatEvent
        if (event.type === 'done') return
      }
    } finally {
      await texts.return(undefined)
    }
  }

  #post(path: string, body: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal) {
    return this.#fetch(`${this.#base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      // An input may hold secrets: it goes to the named address and nowhere else.
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    })
  }

  async #once<Name extends OperationName>(
    name: Name,
    body: string,
    isRead: boolean,
    signal: AbortSignal | undefined,
  ): Promise<Answer<Name>> {
    const path = `/api/v1/operations/${encodeURIComponent(name)}`
    const answer = await this.#connected(name, isRead, signal, () =>
      this.#post(path, body, this.#headers, signal),
    )
    if (answer.status !== 200) throw await this.#failure(name, isRead, answer, signal)
    const told = parsed(await this.#connected(name, isRead, signal, () => answer.text()))
    if (!isRecord(told)) throw unreadable(name, answer, 'is no JSON object')
    return told as Answer<Name>
  }

  async #failure(called: string, isRead: boolean, answer: Response, signal: AbortSignal | undefined) {
    const body = parsed(await this.#connected(called, isRead, signal, () => answer.text()))
    return isRecord(body) ? refusal(called, answer, body) : unreadable(called, answer, 'is no JSON object')
  }

  /** Runs a step of the connection; an aborted one rejects with the reason of its signal. */
  async #connected<T>(
    called: string,
    isRead: boolean,
    signal: AbortSignal | undefined,
    step: () => Promise<T>,
  ): Promise<T> {
    try {
      return await step()
    } catch (error) {
      signal?.throwIfAborted()
      throw noAnswer(called, this.#base, isRead, error)
    }
  }
}

/** Makes a client of a control plane. @throws TypeError for an option that is none */
export const createClient = (options: ClientOptions): Client => new Client(options)
