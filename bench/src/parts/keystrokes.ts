import { startShell } from '../../../packages/cli/src/agent/access/host-program.ts'
import { runHostSession } from '../../../packages/cli/src/agent/access/host-session.ts'
import { sessionUser } from '../../../packages/cli/src/agent/access/session-user.ts'
import { connectToRelay } from '../../../packages/cli/src/relay/relay-socket.ts'
import { RelayBench } from '../../../packages/cli/test/relay/relay-bench.ts'
import { closedLoop } from '../loop.ts'
import type { StartPart } from '../part.ts'

/** Keys that are typed into a terminal. */
export interface KeystrokesOptions {
  /** Idle sessions of the relay between the keys and the terminal; null: there is no relay. */
  readonly idle: number | null
}

/** The typing side of a terminal. */
interface Typed {
  send(data: Buffer): void
  onOutput(take: (data: Buffer) => void): void
  stop(): Promise<void>
}

const SCREEN = { term: 'xterm', cols: 80, rows: 24 }
const POLICY = { modes: ['shell'], users: [], tcpPort: 22 } as const
// A program that answers each key by itself. The quotes tell the echo of this line from its output.
const ECHO = "stty raw -echo; echo rea''dy; exec cat\n"
const KEY = Buffer.from('x')

/** A terminal with a program that echoes each key, and the time from a key to its echo. */
export const start: StartPart<KeystrokesOptions> = async ({ idle }) => {
  const typed = idle === null ? await alone() : await throughRelay(idle)
  let heard = ''
  let onHeard = () => {}
  typed.onOutput((data) => {
    heard += data.toString()
    onHeard()
  })
  const until = (wanted: string) =>
    new Promise<void>((resolve) => {
      onHeard = () => heard.includes(wanted) && resolve()
    })
  const isReady = until('ready')
  typed.send(Buffer.from(ECHO))
  await isReady
  const once = async () => {
    heard = ''
    const isBack = until('x')
    typed.send(KEY)
    await isBack
    return true
  }
  return {
    commands: { run: ({ seconds }: { seconds: number }) => closedLoop({ workers: 1, seconds }, once) },
    stop: () => typed.stop(),
  }
}

async function alone(): Promise<Typed> {
  const host = await startShell(await sessionUser(undefined, POLICY), SCREEN)
  return {
    send: (data) => host.write(data, () => {}),
    onOutput: (take) => host.start(take),
    stop: async () => {
      host.hangUp()
      await host.ended
    },
  }
}

async function throughRelay(idle: number): Promise<Typed> {
  const relay = await RelayBench.open({ RELAY_MAX_SESSIONS_PER_HOST: String(idle + 1) })
  for (let count = 0; count < idle; count += 1) await relay.paired()
  const { token, id } = await relay.opened()
  const life = new AbortController()
  const session = { id, token: await relay.claimed(), relayUrl: `${relay.url}/relay/v1/agent` }
  const carried = runHostSession({
    session: {
      ...session,
      mode: 'shell',
      user: undefined,
      command: undefined,
      operator: '',
      reason: '',
      ...SCREEN,
    },
    ...{
      policy: async () => ({ policy: POLICY }),
      isBusy: false,
      environment: {},
      apps: { program: undefined, folder: '/nowhere', user: undefined },
      log: relay.test.plane.log,
      life: life.signal,
    },
  })
  const peer = await connectToRelay(`${relay.url}/relay/v1/operator`, token)
  await peer.ready
  return {
    send: (data) => void peer.send(data),
    onOutput: (take) =>
      peer.listen({
        bytes: (data, done) => {
          done()
          take(data)
        },
        control: () => {},
        drained: () => {},
      }),
    stop: async () => {
      life.abort()
      await carried
      await relay[Symbol.asyncDispose]()
    },
  }
}
