import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from '@jest/globals'
import { Connections } from '../../src/server/connections.ts'

it('what follows the earlier answers of a connection comes once, however many packets cannot be read', async () => {
  const server = createServer()
  const connections = new Connections(server)
  server.on('request', (request, response) => connections.begin(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  const [{ socket }, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  let times = 0
  const unread = () => {
    connections.afterEarlier(socket, () => {
      times += 1
    })
  }
  unread()
  const listening = response.listenerCount('close')
  for (let packet = 1; packet < 20; packet += 1) unread()
  // Node warns of a leak from eleven listeners on.
  expect(response.listenerCount('close')).toBe(listening)
  expect(times).toBe(0)
  response.end()
  await once(response, 'close')
  expect(times).toBe(1)
  client.destroy()
  server.close()
})
