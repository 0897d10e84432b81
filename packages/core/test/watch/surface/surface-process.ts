// A control plane, its DNS and its certificate log in a process of their own, so that scans run in a network
// namespace: `node surface-process.ts <inode of the machine's namespace>`. It follows orders over its
// channel.
import { readlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { createControlPlane, PLATFORM, readConfig, systemClock, type Timers } from '@svc/core'
import { memoryStorage } from '@svc/testing'
import { loopbackDns } from '../../../../../test/support/dns-server.ts'

if (readlinkSync('/proc/self/ns/net') === process.argv[2]) throw new Error('not in a namespace')

/** Time of scans passes so many times faster here: paces and the renewal of leases keep their proportions. */
const FASTER = 10
const timers: Timers = {
  elapsedMs: () => performance.now() * FASTER,
  pause: (ms, signal) => wait(ms / FASTER, undefined, signal === undefined ? {} : { signal }).catch(() => {}),
}

const dns = await loopbackDns()
/** Names whose address changes with each answer. */
const rebinding = new Map<string, string[]>()
const get = dns.zone.get.bind(dns.zone)
dns.zone.get = (name) => {
  const addresses = rebinding.get(name)
  if (addresses === undefined) return get(name)
  addresses.push(addresses.shift() ?? '')
  return { A: [{ address: addresses.at(-1) }] }
}

/** Answers of the certificate log by domain: a status, a text, or nothing at all. */
const logs = new Map<string, { status?: number; text?: string; hangs?: boolean }>()
const certificates = createServer((request, response) => {
  const domain = new URL(request.url ?? '', 'http://ct').searchParams.get('q') ?? ''
  const { status = 200, text = '[]', hangs = false } = logs.get(domain) ?? {}
  if (!hangs) response.writeHead(status, { 'content-type': 'application/json' }).end(text)
})
certificates.listen(0, '127.0.0.1')
await new Promise((resolve) => certificates.once('listening', resolve))
const { port } = certificates.address() as AddressInfo

const config = readConfig({
  NODE_ENV: 'production',
  ATTACK_SURFACE_SECRET: 'a secret of challenges for tests, 32 characters',
  ATTACK_SURFACE_DNS_SERVERS: dns.server,
  ATTACK_SURFACE_MAX_CONCURRENT: '20',
  CT_URL: `http://127.0.0.1:${port}/?q={domain}`,
  SERVICE_PUBLIC_URL: 'https://svc.example',
})
const plane = createControlPlane({
  config,
  timers,
  clock: systemClock,
  storage: memoryStorage(systemClock),
  threads: false,
})
await plane.surface.runDue()

const does: Record<string, (given: never) => Promise<unknown>> = {
  zone: async (entries: Record<string, never>) => {
    for (const [name, entry] of Object.entries(entries)) {
      if (entry === null) dns.zone.delete(name)
      else dns.zone.set(name, entry)
    }
  },
  rebind: async ({ name, addresses }: { name: string; addresses: string[] }) => {
    rebinding.set(name, addresses)
  },
  certificates: async ({ domain, ...answer }: { domain: string }) => void logs.set(domain, answer),
  surface: async ({ method, args }: { method: 'add'; args: [string, string] }) =>
    plane.surface[method](...args),
  heartbeat: async ({ licenseId, address }: { licenseId: string; address: string }) => {
    await plane.surface.noteAddress?.(licenseId, { provenAddress: address })
  },
  /** Waits for the end of a scan. */
  ended: async ({ id }: { id: string }) => {
    for (;;) {
      const seen = await plane.surface.scan(PLATFORM, id)
      if (seen.scan.finishedAt !== undefined) return seen
      await wait(10)
    }
  },
}

process.on('message', async ({ id, what, given }: { id: number; what: string; given: never }) => {
  const said = await does[what]?.(given).catch(
    (error: { code?: string; message: string; data?: unknown }) => ({
      thrown: error.code ?? error.message,
      data: error.data,
    }),
  )
  process.send?.({ id, said })
})
process.on('disconnect', () => process.exit())
process.send?.({ id: 0, said: { ports: [Number(dns.server.split(':')[1]), port] } })
