// An operator at a terminal: words of the host, and keys that leave it.
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { RecordingIo } from '../../../../test/support/recording-io.ts'
import { EscapeKeys } from '../../src/relay/escape-keys.ts'
import { carrySession } from '../../src/relay/operator-session.ts'
import { RelayBench } from './relay-bench.ts'

/** A person at a terminal of their own. */
class Seated extends RecordingIo {
  readonly keys = new PassThrough()

  override rawTerminal() {
    const undo = () => {}
    const ends = { input: this.keys, out: new PassThrough().resume(), err: new PassThrough().resume() }
    return {
      ...ends,
      isTty: true,
      size: () => ({ cols: 80, rows: 24 }),
      raw: () => undo,
      onResize: () => undo,
    }
  }
}

let bench: RelayBench
beforeAll(async () => {
  bench = await RelayBench.open()
})
afterAll(() => bench[Symbol.asyncDispose]())

/** Opens a session with a person at one end and the host at the other. */
async function seated(mode: 'exec' | 'shell', host: string) {
  const { token } = await bench.opened(mode === 'exec' ? { mode, command: 'true' } : { mode })
  const io = new Seated({ args: [] })
  const carried = carrySession(io, { token, relayUrl: `${bench.url}/relay/v1/operator`, mode, host })
  const agent = await bench.side('agent', await bench.claimed())
  await agent.control('ready')
  return { io, carried, agent }
}

test('The reason of a host that refuses is printed without control bytes, and the code is 255', async () => {
  const { io, carried, agent } = await seated('exec', 'web\u001b]0;mine\u0007-1')
  const message = 'no\u001b[2J\r\n\u009b31m\u0007room'
  agent.socket.send(JSON.stringify({ t: 'error', code: 'forbidden', message }))
  expect(await carried).toBe(255)
  expect(io.err.text).toMatch(/^svc: web.*-1 refused: no.*room\n$/)
  expect(io.err.text.slice(0, -1)).not.toMatch(/\p{Cc}/u)
})

test('A tilde and a dot at the beginning of a line leave a host that does not answer', async () => {
  const { io, carried, agent } = await seated('shell', 'web-1')
  io.keys.write('ls ~.\r~~x\r')
  await agent.until(({ heard }) => heard.endsWith('\r~x\r'))
  expect(agent.heard).toBe('ls ~.\r~x\r')
  io.keys.write('~.')
  expect(await carried).toBe(255)
  await agent.control('bye')
  expect(agent.heard).toBe('ls ~.\r~x\r')
})

test('A tilde whose next key comes later is sent with it', () => {
  const keys = new EscapeKeys()
  const sent = ['~', 'a', '\r~', '.'].map((typed) => keys.take(Buffer.from(typed)))
  expect(sent.map(({ sent: each }) => String(each))).toEqual(['', '~a', '\r', ''])
  expect(sent.map(({ leaves }) => leaves)).toEqual([false, false, false, true])
})
