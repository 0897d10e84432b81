// A body that is refused before it was read to its end must not hold up the next request of its connection.
import { connect } from 'node:net'
import { expect, it } from '@jest/globals'
import { mounted } from '../../../../test/support/mounted.ts'

const FORM = 'application/x-www-form-urlencoded'

it.each([
  ['a form', '/login', FORM, 'content-length'],
  ['a form in chunks', '/login', FORM, 'chunked'],
  ['JSON', '/login', 'application/json', 'content-length'],
  ['JSON in chunks', '/v1/jobs/claim', 'application/json', 'chunked'],
  ['a form of the console', '/console/sign-in', FORM, 'content-length'],
  ['a form of the console in chunks', '/console/sign-in', FORM, 'chunked'],
])(
  'The next request is answered behind a body that is too large: %s',
  async (_, path, type, framing) => {
    await using served = await mounted()
    const body = 'x'.repeat(3 * 1024 * 1024)
    const framed = framing === 'chunked' ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body
    const length = framing === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`
    const head = `POST ${path} HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${served.key}\r\nContent-Type: ${type}\r\n${length}\r\n\r\n`
    const socket = connect({ port: served.port, host: '127.0.0.1' }).setEncoding('latin1')
    let answers = ''
    const { promise, resolve } = Promise.withResolvers<void>()
    socket.on('data', (text: string) => {
      answers += text
      if (answers.includes('HTTP/1.1 200')) resolve()
    })
    socket.once('close', resolve)
    socket.write(`${head}${framed}GET /livez HTTP/1.1\r\nHost: here\r\n\r\n`)
    await promise
    socket.destroy()
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  },
  10_000,
)
