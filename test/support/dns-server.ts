import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type DnsServer, createServer as dnsServer, Packet } from 'dns2'
import { freePort } from './free-port.ts'

/**
 * A zone's answer for a name: record data by type in the form of dns2, or the way it misbehaves. With an
 * entry `overTcp` the answer is cut over UDP.
 */
export type ZoneEntry =
  | Readonly<Record<string, readonly object[]>>
  | 'servfail'
  | 'refused'
  | 'silence'
  | 'referral'
  | 'truncated'

const RCODES = { servfail: 2, refused: 5 } as const
const MANY = Array.from({ length: 200 }, (_, index) => ({ address: `192.0.2.${index}` }))

/** A DNS server on loopback, UDP and TCP on one port, whose zone a test changes as it likes. */
export interface LoopbackDns extends AsyncDisposable {
  /** `ip:port` */
  readonly server: string
  readonly zone: Map<string, ZoneEntry>
  /** Number of questions by transport. */
  readonly asked: { udp: number; tcp: number }
}

/** Serves a zone; a name outside of it does not exist. */
export async function loopbackDns(): Promise<LoopbackDns> {
  const zone = new Map<string, ZoneEntry>()
  const asked = { udp: 0, tcp: 0 }
  const port = await freePort()
  const server: DnsServer = dnsServer({
    udp: true,
    tcp: true,
    handle: (request, send, client) => {
      const transport = client.constructor.name === 'Socket' ? 'tcp' : 'udp'
      asked[transport] += 1
      const reply = answer(request, zone, transport)
      if (reply !== undefined) send(reply)
    },
  })
  await server.listen({ udp: { port, address: '127.0.0.1' }, tcp: { port, address: '127.0.0.1' } })
  return {
    server: `127.0.0.1:${port}`,
    zone,
    asked,
    [Symbol.asyncDispose]: async () => {
      await server.close()
    },
  }
}

function answer(request: Packet, zone: Map<string, ZoneEntry>, transport: 'udp' | 'tcp'): Packet | undefined {
  const reply = Packet.createResponseFromRequest(request)
  const [question] = request.questions
  const name = question?.name ?? ''
  const type = question?.type ?? 0
  const entry = zone.get(name.toLowerCase())
  const add = (data: object) => reply.answers.push({ name, type, class: 1, ttl: 300, ...data } as never)
  if (entry === 'silence') return undefined
  if (typeof entry === 'object' && entry.overTcp !== undefined && transport === 'udp') {
    reply.header.tc = 1
    return reply
  }
  if (entry === undefined) reply.header.rcode = 3
  else if (entry === 'servfail' || entry === 'refused') reply.header.rcode = RCODES[entry]
  else if (entry === 'referral') {
    reply.authorities.push({
      name: 'example',
      type: 2,
      class: 1,
      ttl: 300,
      ns: 'ns.elsewhere.example',
    } as never)
  } else if (entry === 'truncated') {
    if (transport === 'udp') reply.header.tc = 1
    else for (const data of MANY) add(data)
  } else for (const data of entry[typeName(type)] ?? aliased(entry, zone, type, add)) add(data)
  return reply
}

/** Follows an alias as a resolver does: the answer has the alias, then the records of its target. */
function aliased(
  entry: Readonly<Record<string, readonly object[]>>,
  zone: Map<string, ZoneEntry>,
  type: number,
  add: (data: object) => void,
): readonly object[] {
  const [alias] = entry.CNAME ?? []
  const { domain = '' } = (alias ?? {}) as { readonly domain?: string }
  const target = zone.get(domain)
  if (alias === undefined || typeof target !== 'object') return []
  add({ ...alias, type: Packet.TYPE.CNAME })
  return (target[typeName(type)] ?? []).map((data) => ({ ...data, name: domain }))
}

const typeName = (type: number): string =>
  Object.entries(Packet.TYPE).find(([, value]) => value === type)?.[0] ?? ''

/** Answers every datagram with the result of `garble` for it. */
export async function garblingServer(
  garble: (query: Buffer) => Buffer,
): Promise<{ readonly server: string } & AsyncDisposable> {
  const socket: Socket = createSocket('udp4')
  socket.on('message', (query, from) => socket.send(garble(query), from.port, from.address))
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
