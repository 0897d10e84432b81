import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, test } from '@jest/globals'
import { StreamRun } from '../src/load/stream-run.ts'

const ANSWER = 'HTTP/1.1 204 No Content\r\n\r\n'
/** Servers have such a limit too, only longer. */
const SILENCE_MS = 400

/** Answers every request, and hangs up on a silent client. */
function impatient(socket: Socket): void {
  socket.setTimeout(SILENCE_MS, () => socket.end())
  socket.on('data', () => socket.write(ANSWER))
}

test('a paced stream takes its connections in turn, so that no server hangs up on one of them', async () => {
  const server = createServer(impatient).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const stream = { name: 'claims', url: `http://127.0.0.1:${port}`, connections: 8, rate: 100 }
  const source = { status: 204, wrong: () => undefined, next: () => Buffer.from('a request') }
  const run = new StreamRun(
    { ...stream, requests: { kind: 'claim', fleet: { hosts: 1, licenses: 1 } } },
    source,
  )
  const { operations, faults, latency } = await run.run(1)
  server.close()
  expect(faults).toEqual({})
  expect(operations).toBe(100)
  expect(latency.max).toBeLessThan(1_000_000)
})
