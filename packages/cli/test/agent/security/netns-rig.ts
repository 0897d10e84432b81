import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from '@jest/globals'

const PROGRAMS = ['nft', 'ip', 'sshd'] as const
const lacking = PROGRAMS.filter(
  (name) => spawnSync('sh', ['-c', `PATH=/usr/sbin:/sbin:$PATH command -v ${name}`]).status !== 0,
)
const isAble =
  process.getuid?.() === 0 && lacking.length === 0 && spawnSync('unshare', ['-n', 'true']).status === 0
const why = lacking.length > 0 ? `no ${lacking.join(', ')}` : 'not root, or no network namespaces'

/** Tests that need network namespaces, nft and sshd. */
export const inNamespaces: typeof test | typeof test.skip = isAble ? test : test.skip
/** Says in the title of a test why it does not run. */
export const skipped = isAble ? '' : ` (skipped: ${why})`

const PEER = fileURLToPath(new URL('./netns-peer.mjs', import.meta.url))

/** Addresses of the host as the client sees them, and of the container. */
export const ADDRESS = {
  v4: '10.9.0.1',
  v6: 'fd00:9::1',
  container4: '172.31.0.2',
  container6: 'fd01::2',
} as const
/** The address of the control plane, as the host sees it. */
export const PLANE = 'http://10.9.0.2:8080'

/** A program inside a namespace that follows orders. */
export class Peer {
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (said: unknown) => void>()
  #asked = 0

  constructor(child: ChildProcess) {
    this.#child = child
    child.on('message', ({ id, said }: { id: number; said: unknown }) => {
      this.#waiting.get(id)?.(said)
      this.#waiting.delete(id)
    })
  }

  listen(port: number, path?: string): Promise<unknown> {
    return this.#ask('listen', { port, path })
  }

  /** The number of a connection; or `dropped`, or the code of the error. */
  connect(host: string, port: number): Promise<unknown> {
    return this.#ask('connect', { host, port })
  }

  echo(link: unknown, text: string): Promise<unknown> {
    return this.#ask('echo', { link, text })
  }

  /** Whether somebody answers at a port. */
  async reaches(host: string, port: number): Promise<unknown> {
    const link = await this.connect(host, port)
    return typeof link === 'number' ? await this.echo(link, `to ${port}`) : link
  }

  #ask(what: string, given: object): Promise<unknown> {
    this.#asked += 1
    const id = this.#asked
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve)
      this.#child.send({ id, what, ...given })
    })
  }
}

const CONTAINER_NAT = `
table ip nat
delete table ip nat
table ip6 nat
delete table ip6 nat
table ip nat {
  chain pre {
    type nat hook prerouting priority dstnat;
    tcp dport 8080 dnat to 172.31.0.2:80
    tcp dport 8081 dnat to 172.31.0.2:80
  }
}
table ip6 nat {
  chain pre {
    type nat hook prerouting priority dstnat;
    tcp dport 8080 dnat to [fd01::2]:80
    tcp dport 8081 dnat to [fd01::2]:80
  }
}
`

/** Three machines of a test: a host, a client in front of it, and a container behind it, as docker has it. */
export class NetnsRig implements AsyncDisposable {
  readonly #name = `svc${randomBytes(3).toString('hex')}`
  readonly #children: ChildProcess[] = []

  static open(): NetnsRig {
    const rig = new NetnsRig()
    const [host, client, inner] = (['h', 'c', 'd'] as const).map((part) => rig.namespace(part))
    const lines = [
      ...[host, client, inner].map((name) => `netns add ${name}`),
      `link add eth0 netns ${host} type veth peer name eth0 netns ${client}`,
      `link add veth0 netns ${host} type veth peer name eth0 netns ${inner}`,
      ...[host, client, inner].flatMap((name) => [
        `-n ${name} link set lo up`,
        `-n ${name} link set eth0 up`,
      ]),
      `-n ${host} link set veth0 up`,
      `-n ${host} addr add 10.9.0.1/24 dev eth0`,
      `-n ${host} addr add fd00:9::1/64 dev eth0 nodad`,
      `-n ${client} addr add 10.9.0.2/24 dev eth0`,
      `-n ${client} addr add fd00:9::2/64 dev eth0 nodad`,
      `-n ${host} addr add 172.31.0.1/24 dev veth0`,
      `-n ${host} addr add fd01::1/64 dev veth0 nodad`,
      `-n ${inner} addr add 172.31.0.2/24 dev eth0`,
      `-n ${inner} addr add fd01::2/64 dev eth0 nodad`,
      `-n ${inner} route add default via 172.31.0.1`,
      `-n ${inner} -6 route add default via fd01::1`,
    ]
    for (const line of lines) execFileSync('ip', line.split(' '))
    rig.run(
      'sh',
      '-c',
      'echo 1 >/proc/sys/net/ipv4/ip_forward; echo 1 >/proc/sys/net/ipv6/conf/all/forwarding',
    )
    return rig
  }

  namespace(part: 'h' | 'c' | 'd'): string {
    return `${this.#name}${part}`
  }

  /** Publishes port 80 of the container on ports of the host, as docker does. */
  publish(): void {
    this.run('nft', '-f', '-', { input: CONTAINER_NAT })
  }

  /** Runs a program on the host to its end. */
  run(...words: readonly (string | { readonly input: string })[]): string {
    const args = words.filter((word) => typeof word === 'string')
    const [options] = words.filter((word) => typeof word === 'object')
    const env = { ...process.env, PATH: `/usr/sbin:/sbin:${process.env.PATH}` }
    return execFileSync('ip', ['netns', 'exec', this.namespace('h'), ...args], {
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
      ...options,
    })
  }

  /** The rules of our table, without their counters; empty without one. */
  rules(): string {
    try {
      return this.run('nft', 'list', 'table', 'inet', 'svc_fw').replaceAll(/packets \d+ bytes \d+/g, 'some')
    } catch {
      return ''
    }
  }

  /** Starts a program on the host, which ends with the rig. */
  start(program: string, args: readonly string[]): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', this.namespace('h'), program, ...args], {
      stdio: process.env.RIG_LOUD ? 'inherit' : 'ignore',
    })
    this.#children.push(child)
    return child
  }

  /** Starts a peer on a machine. */
  async peer(part: 'h' | 'c' | 'd'): Promise<Peer> {
    const args = ['netns', 'exec', this.namespace(part), process.execPath, PEER]
    const child = spawn('ip', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#children.push(child)
    await once(child, 'message')
    return new Peer(child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    for (const part of ['h', 'c', 'd'] as const) spawnSync('ip', ['netns', 'del', this.namespace(part)])
  }
}
