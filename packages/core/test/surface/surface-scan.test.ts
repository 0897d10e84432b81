import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Ended, FAR, inNamespaces, SurfaceRig, skipped } from './surface-rig.ts'

const TIMEOUT_MS = 60_000

let rig: SurfaceRig

beforeAll(async () => {
  if (inNamespaces === test) rig = await SurfaceRig.open()
}, TIMEOUT_MS)
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]()
})

const hostOf = ({ scan }: Ended, name: string) => scan.result.hosts.find((host) => host.name === name)
const ids = ({ scan }: Ended) => scan.result.findings.map(({ id }) => id).sort()

describe('scans of a far side with public addresses, by the rules of production', () => {
  inNamespaces(
    `Open ports of an attested address are found with what stands behind them; closed ones are not listed${skipped}`,
    async () => {
      await rig.own('lic_1', 'shop.example', { 'shop.example': [FAR.own] })
      await rig.plane.tell('heartbeat', { licenseId: 'lic_1', address: FAR.own })
      const ended = await rig.scan('lic_1', 'shop.example', { checks: ['ports'] })
      expect(ended.scan).toMatchObject({ state: 'done', progress: 1 })
      expect(hostOf(ended, 'shop.example')).toMatchObject({
        ips: [{ ip: FAR.own, attested: true, cdn: null }],
        sources: ['seed'],
        ports: [
          { port: 22, service: 'ssh', banner: 'SSH-2.0-OpenSSH_9.2p1' },
          { port: 80, service: 'http' },
          {
            port: 443,
            service: 'https',
            tls: { protocol: 'TLSv1.3', names: ['shop.example'], valid: false },
          },
          { port: 2375, service: 'docker' },
          { port: 6379, service: 'redis' },
        ],
      })
      expect(ids(ended)).toEqual(['exposed-docker', 'exposed-redis'])
      expect(rig.forbidden()).toMatchObject({ loopback: 0, metadata: 0, private: 0 })
    },
    TIMEOUT_MS,
  )
})
