import { type ChildProcess, spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { RelayPeer } from '../../../packages/cli/src/relay/relay-peer.ts'
import { connectToRelay } from '../../../packages/cli/src/relay/relay-socket.ts'
import { SshScene, SVC } from '../../../packages/cli/test/support/ssh-scene.ts'
import { hasSshServer, type SshServer, sshServer } from '../../../packages/cli/test/support/ssh-server.ts'
import type { Bench } from '../bench.ts'
import { loopVariant } from '../loop-variant.ts'
import type { PartProcess } from '../part-process.ts'
import type { OpenSession, RelayMemory } from '../parts/relay.ts'
import { type Done, type Running, type Scenario, Skipped, type Variant } from '../scenario.ts'

const DIRECT = 'ssh, from the host'
const DIRECT_UP = 'ssh, to the host'
const THROUGH = 'ssh through svc ssh --stdio, from the host'
const THROUGH_UP = 'ssh through svc ssh --stdio, to the host'
const TERMINAL = 'a terminal alone'
const TYPED = 'through the relay, 50 sessions idle'
const IDLE = 'a relay'

const MIB = 2 ** 20
const KIB = 1024
const IDLE_SESSIONS = 200

/** How OpenSSH reaches the server of the run. */
interface Way {
  readonly options: readonly string[]
  readonly host: string
  readonly env: NodeJS.ProcessEnv
  stop(): Promise<void>
}

// One server for all variants of a run. The first variant stops it.
const servers = new WeakMap<Bench, Promise<SshServer>>()

async function serverOf(bench: Bench): Promise<SshServer> {
  if (!hasSshServer) throw new Skipped('no OpenSSH server here')
  const server = servers.get(bench) ?? bench.folder().then(sshServer)
  servers.set(bench, server)
  return server
}

async function directly(bench: Bench): Promise<Way> {
  const { options, port, user, ...server } = await serverOf(bench)
  const stop = async () => {
    if (servers.delete(bench)) await server[Symbol.asyncDispose]()
  }
  return { options: [...options, '-p', `${port}`], host: `${user}@127.0.0.1`, env: process.env, stop }
}

async function throughSvc(bench: Bench): Promise<Way> {
  const { options, port, user } = await serverOf(bench)
  const scene = await SshScene.open(port)
  return {
    options: [...options, '-o', `ProxyCommand=${SVC} ssh --stdio %h`],
    host: `${user}@${scene.host}`,
    env: { ...scene.env, PATH: process.env.PATH, HOME: scene.folder },
    stop: () => scene[Symbol.asyncDispose](),
  }
}

/** The bytes of a stream, counted from the first one on: a connection that is being made is no part of it. */
const counter = (seconds: number) =>
  `{ head -c 1 >/dev/null; LC_ALL=C timeout --foreground -s INT ${seconds} dd of=/dev/null bs=256k iflag=fullblock; }`

const stream = (name: string, reach: (bench: Bench) => Promise<Way>, direction: 'from' | 'to'): Variant => ({
  name,
  start: async (bench): Promise<Running> => {
    const { options, host, env, stop } = await reach(bench)
    const ssh = ['ssh', '-F', '/dev/null', ...options, host]
    const work = async (seconds: number): Promise<Done> => {
      const line =
        direction === 'from'
          ? ['sh', '-c', `"$@" cat /dev/zero | ${counter(seconds)}`, 'sh', ...ssh]
          : ['sh', '-c', '"$@" </dev/zero', 'sh', ...ssh, counter(seconds)]
      const [program = '', ...args] = line
      return counted(spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] }))
    }
    return { work, stop }
  },
})

/** Reads the last words of `dd`: one operation is a MiB. */
async function counted({ stderr }: ChildProcess): Promise<Done> {
  const said = stderr === null ? '' : await text(stderr)
  const [, bytes, seconds] = /(\d+) bytes.* copied, ([\d.e-]+) s/.exec(said) ?? []
  if (bytes === undefined) throw new Error(`nothing was counted: ${said}`)
  return { operations: Number(bytes) / MIB, seconds: Number(seconds) }
}

/** Opens sessions, looks at the memory of the relay, and ends them. */
async function idleSessions(relay: PartProcess): Promise<Done> {
  const began = performance.now()
  const before = await relay.ask<RelayMemory>('memory')
  const opened: string[] = []
  const peers: RelayPeer[] = []
  while (opened.length < IDLE_SESSIONS) {
    const { id, url, operator, agent } = await relay.ask<OpenSession>('open')
    opened.push(id)
    peers.push(await connectToRelay(`${url}/relay/v1/operator`, operator))
    peers.push(await connectToRelay(`${url}/relay/v1/agent`, agent))
  }
  await Promise.all(peers.map(({ ready }) => ready))
  const after = await relay.ask<RelayMemory>('memory')
  for (const peer of peers) peer.close()
  await relay.ask('over', opened)
  const each = (figure: keyof RelayMemory) => (after[figure] - before[figure]) / IDLE_SESSIONS / KIB
  return {
    operations: IDLE_SESSIONS,
    seconds: (performance.now() - began) / 1000,
    figures: { idleKib: each('held'), idleRssKib: each('rss') },
  }
}

/** Sessions on hosts: the costs of a stream, an idle session and a key. */
export const ssh: readonly Scenario[] = [
  {
    name: 'ssh',
    question:
      'MiB a second of OpenSSH to one server on loopback, directly and through agent, relay and `svc ssh --stdio`',
    variants: [
      stream(DIRECT, directly, 'from'),
      stream(DIRECT_UP, directly, 'to'),
      stream(THROUGH, throughSvc, 'from'),
      stream(THROUGH_UP, throughSvc, 'to'),
    ],
    baseline: DIRECT,
    gates: [
      { goal: 'ssh-from', figure: 'perSecond', of: THROUGH, over: DIRECT, atLeast: 0.25 },
      { goal: 'ssh-to', figure: 'perSecond', of: THROUGH_UP, over: DIRECT_UP, atLeast: 0.25 },
    ],
  },
  {
    name: 'ssh-keys',
    question:
      'A key to a terminal and back, in process, alone and through a relay that holds 50 idle sessions',
    variants: [
      loopVariant({
        name: TERMINAL,
        request: {},
        start: async (bench) => ({ part: await bench.part('keystrokes', { idle: null }) }),
      }),
      loopVariant({
        name: TYPED,
        request: {},
        start: async (bench) => ({ part: await bench.part('keystrokes', { idle: 50 }) }),
      }),
    ],
    baseline: TERMINAL,
    gates: [{ goal: 'ssh-keys', figure: 'p99', of: TYPED, atMost: 20_000 }],
  },
  {
    name: 'ssh-idle',
    question: `The memory of a relay for one of ${IDLE_SESSIONS} idle sessions`,
    variants: [
      {
        name: IDLE,
        start: async (bench): Promise<Running> => {
          const part = await bench.part('relay', null, ['--expose-gc'])
          return { work: () => idleSessions(part), stop: () => part.stop() }
        },
      },
    ],
    baseline: IDLE,
    rounds: 3,
    gates: [{ goal: 'ssh-idle', figure: 'idleKib', of: IDLE, atMost: 64 }],
  },
]
