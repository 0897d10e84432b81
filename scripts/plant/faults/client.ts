import type { Fault } from '../fault.ts'

const suites = ['packages/http/test/client/client.test.ts']

export const faults: readonly Fault[] = [
  {
    name: 'client: a change whose answer is lost is made again',
    file: 'packages/http/src/client/retries.ts',
    find: 'return isRead ? backOff : undefined',
    replace: 'return backOff',
    suites,
  },
  {
    name: 'client: a change is made again after 503',
    file: 'packages/http/src/client/retries.ts',
    find: '!(status === 503 && isRead)',
    replace: 'status !== 503',
    suites,
  },
  {
    name: 'client: a wait of any length is waited for',
    file: 'packages/http/src/client/retries.ts',
    find: ' || asked > MAX_RETRY_AFTER_SECONDS',
    replace: '',
    suites,
  },
  {
    name: 'client: the time that the service asks for is not kept',
    file: 'packages/http/src/client/retries.ts',
    find: 'return asked * 1000 + backOff',
    replace: 'return backOff',
    suites,
  },
  {
    name: 'client: a wait does not end by the signal',
    file: 'packages/http/src/client/retries.ts',
    find: "    signal?.addEventListener('abort', stop, { once: true })\n",
    replace: '',
    suites,
  },
  {
    name: 'client: an aborted call is a failed connection',
    file: 'packages/http/src/client/client.ts',
    find: '      signal?.throwIfAborted()\n',
    replace: '',
    suites,
  },
  {
    name: 'client: one call more than was said',
    file: 'packages/http/src/client/client.ts',
    find: 'tried < this.#retries',
    replace: 'tried <= this.#retries',
    suites,
  },
  {
    name: 'client: a redirect is followed',
    file: 'packages/http/src/client/client.ts',
    find: "redirect: 'error'",
    replace: "redirect: 'follow'",
    suites,
  },
  {
    name: 'client: the chat gets the token',
    file: 'packages/http/src/client/client.ts',
    find: "this.#post('/api/chat', said, {}, signal)",
    replace: "this.#post('/api/chat', said, this.#headers, signal)",
    suites,
  },
  {
    name: 'client: an answer that breaks off is whole',
    file: 'packages/http/src/client/client.ts',
    find: 'if (done) throw noAnswer(',
    replace: 'if (done) return void noAnswer(',
    suites,
  },
  {
    name: 'client: a page that leads to itself is asked for without end',
    file: 'packages/http/src/client/client.ts',
    find: 'if (next === cursor) {',
    replace: "if (next === '') {",
    suites,
  },
  {
    name: 'client: a token with a line end is told in an error',
    file: 'packages/http/src/client/client.ts',
    find: 'if (token !== undefined && !TOKEN.test(token))',
    replace: "if (token === '')",
    suites,
  },
  {
    name: 'client: a stream without an end of line fills the memory',
    file: 'packages/http/src/client/events.ts',
    find: 'held + rest.length > MAX_EVENT_CHARS',
    replace: 'held < 0',
    suites,
  },
  {
    name: 'client: a reader that leaves does not end the stream',
    file: 'packages/http/src/client/events.ts',
    find: '    await reader.cancel().catch(() => {})\n',
    replace: '',
    suites,
  },
]
