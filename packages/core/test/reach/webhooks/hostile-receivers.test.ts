// Receivers at their worst: each attempt ends in its time, takes a bounded answer, and says why it failed.
import type { RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from '@jest/globals'
import { WebhookScene } from './webhook-scene.ts'

const MEGABYTE = 2 ** 20
const INFLATING = gzipSync(Buffer.alloc(64 * MEGABYTE)).subarray(0, 60_000)
const HEAD = 'HTTP/1.1 200 OK\r\n'

/** Answers with bytes as they are. */
const raw =
  (...parts: readonly string[]): RequestListener =>
  ({ socket }) => {
    for (const part of parts) socket.write(part)
  }
/** Writes a piece every 50 milliseconds until the connection is closed, after a beginning. */
const dripping =
  (beginning: string, piece: string): RequestListener =>
  ({ socket }) => {
    socket.write(beginning)
    const timer = setInterval(() => socket.write(piece), 50)
    socket.once('close', () => clearInterval(timer))
  }
/** Writes for as long as somebody reads. */
const endless: RequestListener = (_request, response: ServerResponse) => {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}

const FAILED = { state: 'pending', attempt: 1 }
const TAKEN = { state: 'delivered', attempt: 1 }

describe('a receiver', () => {
  it.each<[string, RequestListener, object]>([
    ['that never answers', () => {}, { ...FAILED, last_error: 'timeout' }],
    ['that sends its head bit by bit', dripping(HEAD, 'x: y\r\n'), { ...FAILED, last_error: 'timeout' }],
    [
      'that sends its body bit by bit',
      dripping(`${HEAD}content-length: 9999\r\n\r\n`, 'x'),
      { ...FAILED, last_error: 'timeout' },
    ],
    [
      'that sends interim answers for ever',
      dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'),
      { ...FAILED, last_error: 'timeout' },
    ],
    ['that sends a body without end', endless, { ...FAILED, last_error: 'response_too_large' }],
    [
      'that announces a huge body',
      raw(`${HEAD}content-length: 9999999999\r\n\r\n`),
      { ...FAILED, last_error: 'response_too_large' },
    ],
    [
      'that sends a header of 20 KiB',
      raw(`${HEAD}x: ${'y'.repeat(20_480)}\r\n\r\n`),
      { ...FAILED, last_error: 'response_too_large' },
    ],
    [
      'that redirects to a metadata service',
      (_request, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      { ...FAILED, last_error: 'redirect' },
    ],
    [
      'that hangs up after the request',
      ({ socket }) => socket.destroy(),
      { ...FAILED, last_error: 'connect_error' },
    ],
    [
      'that breaks off in a chunk',
      ({ socket }) => socket.end(`${HEAD}transfer-encoding: chunked\r\n\r\nff\r\nhalf`),
      { ...FAILED, last_error: 'connect_error' },
    ],
    ['that does not speak HTTP', raw('SSH-2.0-none\r\n'), { ...FAILED, last_error: 'connect_error' }],
    [
      'that switches protocols',
      raw('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      { ...FAILED, last_error: 'connect_error' },
    ],
    [
      'whose small answer would inflate to 64 megabytes',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(INFLATING)
      },
      TAKEN,
    ],
    [
      'that answers with control characters',
      (_request, response) => response.end('a\0b\u001b[31mc'),
      { ...TAKEN, response: 'a b [31mc' },
    ],
    ['that answers with a long text', (_request, response) => response.end('x'.repeat(60_000)), TAKEN],
  ])('%s', async (_, talk, expected) => {
    await using scene = await WebhookScene.open(talk, { env: { WEBHOOK_TIMEOUT_MS: '1000' } })
    const { id } = await scene.add()
    await scene.event()
    await scene.run('run')
    expect(scene.far.connections()).toBe(1)
    const [delivery] = (await scene.show(id)).deliveries
    const { attempts } = await scene.run<{ attempts: { response: string }[] }>('show', {
      endpoint: id,
      delivery: delivery?.id,
    })
    const [{ response } = { response: '' }] = attempts
    expect({ ...delivery, response }).toMatchObject(expected)
    expect(response.length).toBeLessThanOrEqual(1024)
  })
})
