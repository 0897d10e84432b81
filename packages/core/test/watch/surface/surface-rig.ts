import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeCertificate } from '../../../../../test/support/certificate.ts'
import { inNamespaces, NetnsRig, skipped } from '../../../../cli/test/agent/security/netns-rig.ts'
import type { SurfaceFinding } from '../../../src/watch/surface/surface-finding.ts'
import type { ScanResult, SurfaceScan } from '../../../src/watch/surface/surface-scan.ts'

export { inNamespaces, skipped }

const FLAGS = ['--conditions=svc-source', '--disable-warning=ExperimentalWarning']
const MEGABYTE = 1_048_576

/** Addresses of the far side: of heartbeats, of a stranger, one that serves the file, one of a CDN. */
export const FAR = {
  own: '11.22.33.44',
  other: '11.22.33.45',
  filed: '11.22.33.46',
  cdn: '104.16.33.44',
} as const

/** A scan that ended. */
export interface Ended {
  readonly scan: SurfaceScan & { readonly result: ScanResult }
  readonly findings: readonly SurfaceFinding[]
}

/** A program in a namespace that follows orders. */
class Told {
  readonly child: ChildProcess
  readonly #waiting = new Map<number, (said: unknown) => void>()
  #asked = 0

  constructor(child: ChildProcess) {
    this.child = child
    child.on('message', ({ id, said }: { id: number; said: unknown }) => {
      this.#waiting.get(id)?.(said)
      this.#waiting.delete(id)
    })
  }

  tell<T = unknown>(what: string, given: object = {}): Promise<T> {
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve as (said: unknown) => void)
      this.child.send({ id, what, given })
    })
  }
}

/**
 * Two machines with public addresses that reach nobody else: a control plane, which scans under its real
 * rules, and the far side. The kernel counts the plane's packets to addresses that it must not reach.
 */
export class SurfaceRig implements AsyncDisposable {
  readonly #netns = NetnsRig.open()
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-surface-'))
  readonly #children: ChildProcess[] = []
  plane!: Told
  far!: Told

  static async open(): Promise<SurfaceRig> {
    const rig = new SurfaceRig()
    const [host, client] = [rig.#netns.namespace('h'), rig.#netns.namespace('c')]
    for (const address of Object.values(FAR)) ip(`-n ${host} addr add ${address}/32 dev eth0`)
    ip(`-n ${client} addr add 11.22.33.1/24 dev eth0`)
    ip(`-n ${host} route add 11.22.33.1/32 dev eth0`)
    ip(`-n ${client} route add 104.16.33.44/32 dev eth0`)
    rig.#certificates()
    const [far] = await rig.#start('h', ['far-side.mjs', rig.#folder])
    const [plane, ports] = await rig.#start('c', ['surface-process.ts', readlinkSync('/proc/self/ns/net')])
    rig.far = far
    rig.plane = plane
    rig.#watch((ports as { ports: readonly number[] }).ports)
    return rig
  }

  /** Publishes the record of a license for a domain, with the addresses of names. */
  async own(
    licenseId: string,
    domain: string,
    names: Readonly<Record<string, readonly string[]>>,
  ): Promise<void> {
    const added = await this.surface<{ challenge: { name: string; value: string } }>('add', licenseId, domain)
    const { name, value } = added.challenge
    await this.zone({ [name]: { TXT: [{ data: value }] } })
    const entries = Object.entries(names).map(([each, addresses]) => [
      each,
      { A: addresses.map((address) => ({ address })) },
    ])
    await this.zone(Object.fromEntries(entries))
  }

  zone(entries: Readonly<Record<string, object | string | null>>): Promise<unknown> {
    return this.plane.tell('zone', entries)
  }

  surface<T = unknown>(method: string, ...args: readonly unknown[]): Promise<T> {
    return this.plane.tell('surface', { method, args })
  }

  /** Starts a scan and waits for its end. */
  async scan(licenseId: string, domain: string, more: object = {}): Promise<Ended> {
    const started = await this.surface<{ outcome: string; scan: SurfaceScan }>('start', licenseId, {
      domain,
      ...more,
    })
    if (started.outcome !== 'queued') throw new Error(JSON.stringify(started))
    return this.plane.tell<Ended>('ended', { id: started.scan.id })
  }

  /** Packets that the plane sent to addresses and ports that it must not reach, by kind. */
  forbidden(): Readonly<Record<string, number>> {
    const text = this.#inPlane('nft', 'list', 'counters')
    const found = text.matchAll(/counter (\w+) \{\s*packets (\d+)/g)
    return Object.fromEntries([...found].map(([, name = '', packets]) => [name, Number(packets)]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await this.#netns[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #inPlane(...words: readonly string[]): string {
    return this.inPlane(words)
  }

  /** Runs a program beside the plane to its end. */
  inPlane(words: readonly string[], input = ''): string {
    const env = { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` }
    const args = ['netns', 'exec', this.#netns.namespace('c'), ...words]
    return execFileSync('ip', args, { encoding: 'utf8', env, input, stdio: ['pipe', 'pipe', 'inherit'] })
  }

  #watch(ports: readonly number[]): void {
    const [dns, certificates] = ports
    const rules = `
table inet watch {
  counter loopback { }
  counter metadata { }
  counter private { }
  counter stranger { }
  counter cdn { }
  chain out {
    type filter hook output priority 0;
    ip daddr 127.0.0.0/8 meta l4proto tcp tcp dport != { ${dns}, ${certificates} } tcp flags syn / syn,ack counter name loopback
    ip daddr 169.254.0.0/16 counter name metadata
    ip daddr { 10.0.0.0/8, 192.168.0.0/16, 172.16.0.0/12 } counter name private
    ip daddr ${FAR.other} tcp dport != { 80, 443 } counter name stranger
    ip daddr ${FAR.cdn} tcp dport != { 80, 443 } counter name cdn
  }
}`
    writeFileSync(join(this.#folder, 'watch.nft'), rules)
    this.#inPlane('nft', '-f', join(this.#folder, 'watch.nft'))
  }

  #certificates(): void {
    const make = (name: string, host: string, until?: string) => {
      const { cert, key } = makeCertificate([host], until)
      writeFileSync(join(this.#folder, `${name}.pem`), cert)
      writeFileSync(join(this.#folder, `${name}.key`), key)
    }
    make('self', 'shop.example')
    make('other', 'elsewhere.example')
    make('expired', 'old.example', '210101')
    writeFileSync(join(this.#folder, 'bomb.gz'), gzipSync(Buffer.alloc(200 * MEGABYTE)))
  }

  async #start(part: 'h' | 'c', args: readonly string[]): Promise<[told: Told, said: unknown]> {
    const [program = '', ...rest] = args
    const path = join(import.meta.dirname, program)
    const line = ['netns', 'exec', this.#netns.namespace(part), process.execPath, ...FLAGS, path, ...rest]
    const child = spawn('ip', line, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#children.push(child)
    const [first] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${program} ended`))),
    ])) as [{ said: unknown }]
    return [new Told(child), first.said]
  }
}

const ip = (line: string): void => void execFileSync('ip', line.split(' '))
