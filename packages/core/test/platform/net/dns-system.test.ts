import { describe, expect, test } from '@jest/globals'
import dns2 from 'dns2'
import { systemResolver } from '../../../src/platform/net/dns-system.ts'

const { Packet } = dns2

interface Zone {
  readonly [host: string]: {
    readonly A?: readonly string[] | number
    readonly AAAA?: readonly string[] | number
  }
}

const zone: Zone = {
  'both.example': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
  'four.example': { A: ['192.0.2.3'], AAAA: [] },
  'half.example': { A: Packet.RCODE.SERVFAIL, AAAA: ['2001:db8::2'] },
  'down.example': { A: Packet.RCODE.SERVFAIL, AAAA: Packet.RCODE.SERVFAIL },
}

async function serve() {
  const asked: string[] = []
  const server = dns2.createServer({
    udp: true,
    handle: (request, send) => {
      const [question] = request.questions
      const response = Packet.createResponseFromRequest(request)
      const name = question?.name ?? ''
      asked.push(name)
      if (name === 'silent.example') return
      const type = question?.type === Packet.TYPE.AAAA ? 'AAAA' : 'A'
      const found = zone[name]?.[type] ?? Packet.RCODE.NXDOMAIN
      if (typeof found === 'number') response.header.rcode = found
      else
        for (const address of found)
          response.answers.push(
            Object.assign(new Packet.Resource(name, Packet.TYPE[type], Packet.CLASS.IN, 1), { address }),
          )
      send(response)
    },
  })
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  return {
    asked,
    address: `127.0.0.1:${udp?.port}`,
    [Symbol.asyncDispose]: async () => void (await server.close()),
  }
}

describe('the system resolver', () => {
  test.each([
    ['both.example', ['192.0.2.1', '192.0.2.2', '2001:db8::1']],
    ['four.example', ['192.0.2.3']],
    ['half.example', ['2001:db8::2']],
    ['down.example', []],
    ['unknown.example', []],
  ])('brings all addresses of both families that servers know: %s', async (host, addresses) => {
    await using server = await serve()
    expect(await systemResolver({ servers: [server.address] }).resolve(host)).toEqual(addresses)
  })

  test('stops asking when it is told to', async () => {
    await using server = await serve()
    const giving = new AbortController()
    const answer = systemResolver({ servers: [server.address] }).resolve('silent.example', giving.signal)
    giving.abort()
    expect(await answer).toEqual([])
  })

  test('gives a silent server up by itself', async () => {
    await using server = await serve()
    const resolver = systemResolver({ servers: [server.address], tryMs: 20 })
    expect(await resolver.resolve('silent.example')).toEqual([])
    expect(server.asked).toContain('silent.example')
  })
})
